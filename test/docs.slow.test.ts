// Checks the links, tables and examples of the documentation.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { basename, dirname, join, relative } from 'node:path';
import { describe, it } from 'node:test';
import { ERROR_CODES } from '../src/lib/errors.ts';
import { parseModels } from '../src/nodes/models/shipped.ts';
import { signWebhook } from '../src/services/webhooks/webhook-signature.ts';

const ROOT = join(import.meta.dirname, '..');
const read = (path: string): string => readFileSync(join(ROOT, path), 'utf8');

const FOLDERS = ['src', 'test', 'bench', 'scripts', 'docs', 'sdk', 'editor', 'examples', 'bin'];
const files = [
  ...readdirSync(ROOT).filter(name => name.endsWith('.md')),
  ...FOLDERS.filter(folder => existsSync(join(ROOT, folder))).flatMap(folder =>
    readdirSync(join(ROOT, folder), { recursive: true, withFileTypes: true })
      .filter(entry => entry.isFile() && !entry.parentPath.includes('node_modules'))
      .map(entry => relative(ROOT, join(entry.parentPath, entry.name))),
  ),
];
const pages = files.filter(path => path.endsWith('.md'));

/** Lists the anchors that GitHub generates for headings. */
const listAnchors = (page: string): readonly string[] =>
  [...page.matchAll(/^#+ (.+)$/gm)].map(([, title = '']) =>
    title
      .toLowerCase()
      .replace(/[^\p{L}\p{N} _-]/gu, '')
      .replaceAll(' ', '-'),
  );

describe('the documentation', () => {
  it('links to files and headings that exist', () => {
    const brokenLinks = pages.flatMap(page =>
      [...read(page).matchAll(/\]\((?!https?:|mailto:)([^)\s#]*)(?:#([^)\s]+))?\)/g)]
        .filter(([, path = '', anchor]) => {
          const target = path === '' ? page : join(dirname(page), path);
          if (!existsSync(join(ROOT, target))) return true;
          return anchor !== undefined && !listAnchors(read(target)).includes(anchor);
        })
        .map(([link]) => `${page}: ${link}`),
    );
    assert.deepEqual(brokenLinks, []);
  });

  it('has decision pages of at most 40 lines, each with its own number', () => {
    const decisions = pages.filter(path => path.startsWith('docs/decisions/'));
    assert.deepEqual(
      decisions.filter(path => read(path).trimEnd().split('\n').length > 40),
      [],
    );
    const numbers = decisions.map(path => Number(/^# (\d+)\. /.exec(read(path))?.[1]));
    assert.deepEqual(
      numbers.toSorted((a, b) => a - b),
      decisions.map((_, index) => index + 1),
    );
  });

  it('contains every page that files of the repository mention', () => {
    const knownNames = new Set(pages.map(path => basename(path)));
    const outside = files
      .filter(path => /\.(?:ts|js|md|css|wat)$/.test(path))
      .flatMap(path =>
        [...read(path).matchAll(/(?<![\w.*{}-])([\w-]+\.md)\b/g)]
          .filter(([, name = '']) => !knownNames.has(name) && name !== 'NNNN-title.md')
          .map(([, name]) => `${path}: ${name}`),
      );
    assert.deepEqual(outside, []);
  });

  it('refers neither to issues nor to folders outside the repository', () => {
    const outside = files
      .filter(path => /\.(?:ts|js|md|css|wat)$/.test(path))
      .flatMap(path =>
        [
          ...read(path).matchAll(
            /\bissues? #?\d+\b|(?<![\w.])(?:\.\.\/)*\/?(?:work\/)?shared\/(?:spec|design|research)\b/g,
          ),
        ].map(([found]) => `${path}: ${found}`),
      );
    assert.deepEqual(outside, []);
  });

  it('lists the folders of src in ARCHITECTURE.md', () => {
    const [, tree = ''] = /```\n([\s\S]*?)```/.exec(read('ARCHITECTURE.md')) ?? [];
    const listed = [...tree.matchAll(/^ {2}([\w-]+)\/ /gm)].map(([, name]) => name);
    const folders = readdirSync(join(ROOT, 'src'), { withFileTypes: true }).filter(entry =>
      entry.isDirectory(),
    );
    assert.deepEqual(listed.sort(), folders.map(({ name }) => name).sort());
  });

  it('lists every error code with its status and title', () => {
    const section = /## Errors\n([\s\S]*?)\n## /.exec(read('docs/api.md'))?.[1] ?? '';
    const listed = section.match(/^\| \d{3} \| `.*$/gm) ?? [];
    const expected = Object.entries(ERROR_CODES).map(
      ([code, [status, title]]) => `| ${status} | \`${code}\` | ${title} |`,
    );
    assert.deepEqual(listed.toSorted(), expected.toSorted());
  });
});

describe('the webhook examples of api.md', () => {
  const body = '{"event":"execution.completed","text":"Grüße"}';
  const secret = 's3cret';
  const signature = signWebhook({ secret, body, eventId: 'e', timestampSeconds: 1 })['X-Service-Signature'];
  const cases: readonly (readonly [string, string | undefined, boolean])[] = [
    [body, signature, true],
    [`${body} `, signature, false],
    [body, signature?.replace(/.$/, 'x'), false],
    [body, undefined, false],
  ];
  const example = (language: string): string =>
    new RegExp(`\`\`\`${language}\\n([\\s\\S]*?)\`\`\``).exec(read('docs/api.md'))?.[1] ?? '';

  it('accept only signed input in Node', async () => {
    const { isGenuine } = await import(`data:text/javascript,${encodeURIComponent(example('js'))}`);
    for (const [input, header, expected] of cases) assert.equal(isGenuine(input, header, secret), expected);
  });

  it('accept only signed input in Python', t => {
    const code = `${example('python')}
import json, sys
for body, header in json.load(sys.stdin):
    print(is_genuine(body.encode(), header, "${secret}"))
`;
    const input = JSON.stringify(cases.map(([text, header]) => [text, header ?? null]));
    try {
      const printed = execFileSync('python3', ['-c', code], { input, encoding: 'utf8', timeout: 200_000 });
      assert.deepEqual(
        printed.trim().split('\n'),
        cases.map(([, , expected]) => (expected ? 'True' : 'False')),
      );
    } catch (err) {
      if ((err as NodeJS.ErrnoException).code === 'ENOENT') t.skip('there is no python3 here');
      else throw err;
    }
  });
});

describe('the examples of extending.md', () => {
  it('contain valid models', () => {
    const text = /```json\n([\s\S]*?)```/.exec(read('docs/extending.md'))?.[1] ?? '';
    assert.deepEqual(
      parseModels(text).map(({ nodeType }) => nodeType),
      ['generate:fal_example'],
    );
  });

  it('mention only existing files', () => {
    const paths = [...read('docs/extending.md').matchAll(/`((?:src|test|models|bench)\/[\w./-]+)`/g)]
      .map(([, path = '']) => path)
      .filter(path => !path.includes('example'));
    assert.ok(paths.length > 10);
    assert.deepEqual(
      paths.filter(path => !existsSync(join(ROOT, path))),
      [],
    );
  });
});
