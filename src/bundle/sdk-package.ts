// Builds the npm package of the SDK, as JavaScript with declarations, because Node does not strip types below node_modules. An
// installed service has the built file; a checkout builds it with the TypeScript compiler of its dev dependencies.
import { execFile } from 'node:child_process';
import { access, readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import { packTar } from 'modern-tar';
import { sha256Hex } from '../lib/crypto.ts';
import { withTempFolder } from '../lib/files.ts';
import { ROOT } from './bundle-editor.ts';

/** The built file, relative to the folder of the service. */
export const SDK_FILE = 'sdk/graphwright-sdk.tgz';

export interface SdkPackage {
  readonly bytes: Buffer;
  readonly hash: string;
}

const COMPILER = join(ROOT, 'node_modules/typescript-native/bin/tsc');
const COMPILE_TIMEOUT_MS = 60_000;
/** The same for all builds, so that equal sources give equal bytes. npm uses this time too. */
const MODIFIED = new Date('1985-10-26T08:15:00Z');

let opened: Promise<SdkPackage | undefined> | undefined;

/** Returns undefined if there is neither the built file nor a compiler. Reads or builds the package once per process. */
export function openSdkPackage(): Promise<SdkPackage | undefined> {
  opened ??= readOrBuild().catch((err: unknown) => {
    opened = undefined;
    throw err;
  });
  return opened;
}

async function readOrBuild(): Promise<SdkPackage | undefined> {
  const built = await readFile(join(ROOT, SDK_FILE)).catch(() => undefined);
  if (built === undefined && !(await hasCompiler())) return undefined;
  const bytes = built ?? (await buildSdkPackage());
  return { bytes, hash: sha256Hex(bytes).slice(0, 20) };
}

const hasCompiler = (): Promise<boolean> =>
  access(COMPILER).then(
    () => true,
    () => false,
  );

/** Packs the files that `npm pack` would pack. Equal sources give equal bytes. */
export function buildSdkPackage(): Promise<Buffer> {
  return withTempFolder(async folder => {
    await promisify(execFile)(process.execPath, [COMPILER, '-p', join(ROOT, 'sdk'), '--outDir', folder], {
      timeout: COMPILE_TIMEOUT_MS,
    });
    const compiled = (await readdir(folder))
      .sort()
      .map(name => [`dist/${name}`, join(folder, name)] as const);
    const files = [
      ['LICENSE', join(ROOT, 'LICENSE')],
      ['README.md', join(ROOT, 'sdk/README.md')],
      ['package.json', join(ROOT, 'sdk/package.json')],
      ...compiled,
    ] as const;
    const entries = [];
    for (const [name, path] of files) {
      const body = await readFile(path);
      entries.push({
        header: { name: `package/${name}`, size: body.length, mode: 0o644, mtime: MODIFIED, uid: 0, gid: 0 },
        body,
      });
    }
    return promisify(gzip)(await packTar(entries));
  });
}
