// Provides the shipped models as ONNX files. Those in other formats are converted at first use, by a process that may write only
// the folder of converted models.
import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { access, mkdir } from 'node:fs/promises';
import { extname, join } from 'node:path';
import { promisify } from 'node:util';
import { createSingleFlight } from '../lib/single-flight.ts';
import { CONVERTER_VERSION, type ConvertibleModel, SOURCES } from './convert/sources.ts';
import { getPackage, readPackageId } from './packages.ts';

const CONVERT_TIMEOUT_MS = 30_000;
/** The characters of a hash that names a file. */
const HASH_LENGTH = 16;

export const getModelFolder = (dataDir: string): string => join(dataDir, 'local');

/** Returns the model that finds speech, which is ONNX already. */
export const getVoiceModel = (): string => join(getPackage('@ricky0123/vad-web'), 'dist/silero_vad_v6.onnx');

const share = createSingleFlight<string>();

/** Returns the path of the model, and converts it if needed. */
export function getConvertedModel(name: ConvertibleModel, dataDir: string): Promise<string> {
  const folder = getPackage(SOURCES[name].package);
  const hash = createHash('sha256')
    .update(`${readPackageId(folder)} ${CONVERTER_VERSION}`)
    .digest('hex');
  const file = join(getModelFolder(dataDir), `${name}-${hash.slice(0, HASH_LENGTH)}.onnx`);
  return share(file, async () => {
    const exists = await access(file).then(
      () => true,
      () => false,
    );
    if (!exists) await convert(name, folder, file);
    return file;
  });
}

async function convert(name: ConvertibleModel, folder: string, file: string): Promise<void> {
  const target = join(file, '..');
  await mkdir(target, { recursive: true });
  await promisify(execFile)(
    process.execPath,
    [
      '--permission',
      ...[join(import.meta.dirname, '..', '..', 'package.json'), import.meta.dirname, folder, target].map(
        path => `--allow-fs-read=${path}`,
      ),
      `--allow-fs-write=${target}`,
      '--disable-warning=ExperimentalWarning',
      join(import.meta.dirname, `convert/process${extname(import.meta.filename)}`),
      name,
      folder,
      file,
    ],
    { env: {}, timeout: CONVERT_TIMEOUT_MS, killSignal: 'SIGKILL' },
  );
}
