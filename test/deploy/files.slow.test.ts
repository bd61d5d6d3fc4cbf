// Checks the Dockerfile, compose.yaml, the Helm chart and the systemd unit without a container engine.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { parse as parseYaml } from 'yaml';
import { findOnPath, listSettings } from '../../src/lib/settings.ts';

const ROOT = join(import.meta.dirname, '../..');
const read = (path: string): string => readFileSync(join(ROOT, path), 'utf8');
const SETTINGS = new Set(listSettings().map(({ name }) => name));
const findUnknown = (names: readonly string[]): readonly string[] =>
  names.filter(name => !SETTINGS.has(name));

/** The instructions of the Dockerfile, with continued lines joined. */
const instructions = read('Dockerfile')
  .replaceAll(/^#.*\n/gm, '')
  .replaceAll(/\\\n\s*/g, ' ')
  .split('\n')
  .filter(line => line.trim() !== '')
  .map(line => /^(?<name>[A-Z]+) (?<rest>.*)$/.exec(line)?.groups ?? { name: '?', rest: line });
const lastStage = instructions.slice(instructions.findLastIndex(({ name }) => name === 'FROM'));
const getArguments = (expected: string): readonly string[] =>
  lastStage.filter(({ name }) => name === expected).map(({ rest = '' }) => rest);

/** Matches an image reference with a tag for readers and a digest that identifies the content. */
const PINNED = /^[\w./-]+:(?!latest)[\w.-]+@sha256:[0-9a-f]{64}$/;

describe('the Dockerfile', () => {
  it('pins its base images and uses known instructions', () => {
    const allowed =
      /^(?:FROM|WORKDIR|COPY|RUN|ENV|USER|VOLUME|EXPOSE|STOPSIGNAL|HEALTHCHECK|ENTRYPOINT|CMD)$/;
    assert.deepEqual(
      instructions.filter(({ name = '' }) => !allowed.test(name)),
      [],
    );
    for (const { name, rest = '' } of instructions)
      if (name === 'FROM') assert.match(rest.replace(/ AS [a-z]+$/, ''), PINNED);
    assert.match(/^# syntax=(.*)\n/.exec(read('Dockerfile'))?.[1] ?? '', PINNED);
    assert.doesNotMatch(read('Dockerfile'), /amd64\/|arm64\/|x86_64|sudo|curl .*\|/);
  });

  it('creates an image with an unprivileged user and a health check', () => {
    assert.deepEqual(getArguments('USER'), ['65532:65532']);
    for (const name of ['ENTRYPOINT', 'CMD'])
      assert.ok(Array.isArray(JSON.parse(getArguments(name)[0] ?? '')));
    assert.match(getArguments('HEALTHCHECK')[0] ?? '', /--interval=\d+s --timeout=\d+s .*CMD \[.*\/healthz/);
    assert.deepEqual(getArguments('RUN'), []);
    assert.deepEqual(getArguments('VOLUME'), ['/data']);
  });

  it('sets only existing settings', () => {
    const names = getArguments('ENV').flatMap(rest =>
      [...rest.matchAll(/([A-Z_]+)=/g)].map(([, name = '']) => name),
    );
    assert.deepEqual(findUnknown(names), ['PATH', 'NODE_ENV', 'NODE_COMPILE_CACHE']);
    execFileSync('sh', ['-n', join(ROOT, 'scripts/image-tree.sh')]);
  });
});

interface ComposeService {
  readonly image: string;
  readonly profiles?: readonly string[];
  readonly environment?: Readonly<Record<string, string>>;
  readonly read_only?: boolean;
  readonly cap_drop?: readonly string[];
  readonly command?: readonly string[];
  readonly volumes?: readonly string[];
  readonly depends_on?: Readonly<Record<string, unknown>>;
}

describe('compose.yaml', () => {
  const { services, volumes } = parseYaml(read('compose.yaml'), { merge: true }) as {
    services: Readonly<Record<string, ComposeService>>;
    volumes: object;
  };
  const allServices = Object.entries(services);
  const ourServices = allServices.filter(([, { image }]) => image === 'graphwright');

  it('starts one container without a profile and all roles with the fleet profile', () => {
    const unprofiled = allServices.filter(([, { profiles }]) => profiles === undefined).map(([name]) => name);
    assert.deepEqual(unprofiled, ['graphwright']);
    const roles = ourServices.flatMap(
      ([, { environment, command }]) => command?.[0] ?? environment?.ROLE ?? 'all',
    );
    assert.deepEqual(roles.sort(), ['all', 'api', 'api', 'migrate', 'worker', 'worker']);
  });

  it('starts our containers with a read-only file system, without capabilities and with existing settings', () => {
    for (const [name, { read_only, cap_drop, environment = {} }] of ourServices) {
      assert.equal(read_only, true, name);
      assert.deepEqual(cap_drop, ['ALL'], name);
      assert.deepEqual(findUnknown(Object.keys(environment)), [], name);
    }
  });

  it('pins third-party images by version and digest', () => {
    const thirdParty = allServices.filter(([, { image }]) => image !== 'graphwright');
    assert.deepEqual(thirdParty.map(([name]) => name).sort(), ['caddy', 'postgres', 's3']);
    for (const [, { image }] of thirdParty) assert.match(image, PINNED);
  });

  it('references existing services, volumes and files', () => {
    for (const [name, { depends_on = {}, volumes: mounted = [] }] of allServices) {
      for (const other of Object.keys(depends_on)) assert.ok(services[other], `${name} waits for ${other}`);
      for (const [source = ''] of mounted.map(mount => mount.split(':')))
        assert.ok(source in volumes || (source.startsWith('./') && read(source)), `${name} mounts ${source}`);
    }
  });
});

describe('the Helm chart', () => {
  const CHART = 'deploy/helm/graphwright';
  const values = parseYaml(read(`${CHART}/values.yaml`)) as Readonly<Record<string, unknown>>;
  const templates = globSync('templates/*', { cwd: join(ROOT, CHART) }).map(
    name => [name, read(`${CHART}/${name}`)] as const,
  );

  it('uses only existing values and closes every block', () => {
    assert.ok(templates.length >= 10);
    for (const [name, text] of templates) {
      for (const [, path = ''] of text.matchAll(/\.Values\.([\w.]+)/g)) {
        const value = path
          .split('.')
          .reduce<unknown>((parent, key) => (parent as Record<string, unknown>)?.[key], values);
        assert.notEqual(value, undefined, `${name}: ${path}`);
      }
      const blockCount = text.match(/\{\{-? (?:if|range|define|with) /g)?.length ?? 0;
      assert.equal(text.match(/\{\{-? end /g)?.length ?? 0, blockCount, name);
      for (const [, named = ''] of text.matchAll(/include "([\w.]+)"/g))
        assert.ok(
          templates.some(([, other]) => other.includes(`define "${named}"`)),
          `${name}: ${named}`,
        );
    }
  });

  it('routes /metrics of the ingress to a service without pods', () => {
    const getTemplate = (expected: string): string =>
      templates.find(([name]) => name.endsWith(expected))?.[1] ?? '';
    // Pairs of a path and its service, in order.
    const paths = [...getTemplate('ingress.yaml').matchAll(/- path: (\S+)[\s\S]*?name: (.+)/g)].map(
      ([, ...pair]) => pair,
    );
    assert.deepEqual(paths, [
      ['/metrics', '{{ .Release.Name }}-nowhere'],
      ['/', '{{ .Release.Name }}'],
    ]);
    const emptyService = getTemplate('/service.yaml')
      .split('---')
      .find(part => part.includes('-nowhere\n'));
    assert.ok(emptyService !== undefined && !emptyService.includes('selector:'));
  });

  it('uses only existing settings', () => {
    assert.deepEqual(findUnknown(Object.keys(values.settings as object)), []);
  });

  it('passes helm lint', t => {
    const helm = findOnPath('helm');
    if (helm === undefined) return t.skip('helm is not installed');
    execFileSync(helm, ['lint', '--strict', join(ROOT, CHART)]);
  });
});

describe('the systemd unit', () => {
  it('passes systemd-analyze', t => {
    const program = findOnPath('systemd-analyze');
    if (program === undefined) return t.skip('systemd is not installed');
    execFileSync(program, ['verify', join(ROOT, 'deploy/systemd/graphwright.service')], { stdio: 'pipe' });
  });

  it('uses only existing settings', () => {
    const line = /^Environment=(.*)$/m.exec(read('deploy/systemd/graphwright.service'))?.[1] ?? '';
    const names = line.split(' ').map(pair => pair.split('=')[0] ?? '');
    assert.deepEqual(findUnknown(names), ['NODE_ENV', 'NODE_COMPILE_CACHE']);
  });
});
