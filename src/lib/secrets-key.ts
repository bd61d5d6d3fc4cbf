// Manages the key that encrypts stored secrets: SECRETS_KEY, or a key that is created in the data folder at the first
// start.
import { randomBytes, randomUUID } from 'node:crypto';
import { link, mkdir, open, readFile, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { syncFolder } from './files.ts';
import { SettingsError } from './settings.ts';

const FILE = 'secrets.key';
/** While this file exists, a rotation is in progress, and the database may be encrypted with the old or the next key. */
const NEXT_FILE = 'secrets.key.next';
const OLD_FILE = 'secrets.key.old';

export interface SecretsKeySource {
  /** 64 hex digits, validated by the settings. If undefined, the key is stored in `dataDir`. */
  readonly SECRETS_KEY: string | undefined;
  readonly dataDir: string;
}

/** Returns the existing key, or undefined if no key has been created. */
export async function findSecretsKey({
  SECRETS_KEY,
  dataDir,
}: SecretsKeySource): Promise<Buffer | undefined> {
  return SECRETS_KEY === undefined ? readKey(join(dataDir, FILE)) : Buffer.from(SECRETS_KEY, 'hex');
}

/** Stores a key in the folder if there is none. */
export function storeSecretsKey(dataDir: string, key: Buffer): Promise<Buffer> {
  return writeKey(dataDir, join(dataDir, FILE), key);
}

/** Throws if a rotation in the folder was interrupted, so that the folder may have the old or the new key. */
export async function requireNoRotation({ SECRETS_KEY, dataDir }: SecretsKeySource): Promise<void> {
  if (SECRETS_KEY === undefined && (await readKey(join(dataDir, NEXT_FILE))) !== undefined)
    throw new SettingsError(
      `A rotation of the secrets key in ${dataDir} was interrupted. Complete it with \`graphwright secrets rotate\`.`,
    );
}

/** Returns the 32-byte key. Processes that start at the same time on one folder all get the same key. */
export async function loadSecretsKey(source: SecretsKeySource): Promise<Buffer> {
  await requireNoRotation(source);
  const { dataDir } = source;
  return (await findSecretsKey(source)) ?? (await writeKey(dataDir, join(dataDir, FILE), randomBytes(32)));
}

/**
 * Returns the key that a rotation changes to. The key is stored before the database is changed, so that a rotation that
 * was interrupted continues with the same key.
 */
export async function loadNextKey(dataDir: string): Promise<Buffer> {
  const path = join(dataDir, NEXT_FILE);
  return (await readKey(path)) ?? (await writeKey(dataDir, path, randomBytes(32)));
}

/** Completes a rotation: the next key becomes the current one, and the old key is renamed. */
export async function finishRotation(dataDir: string, oldKey: Buffer): Promise<void> {
  await rm(join(dataDir, OLD_FILE), { force: true });
  await writeKey(dataDir, join(dataDir, OLD_FILE), oldKey);
  await rename(join(dataDir, NEXT_FILE), join(dataDir, FILE));
  await syncFolder(dataDir);
}

async function readKey(path: string): Promise<Buffer | undefined> {
  const text = await readFile(path, 'utf8').catch((err: NodeJS.ErrnoException) => {
    if (err.code === 'ENOENT') return undefined;
    throw new SettingsError(
      `The secrets key ${path} cannot be read (${err.code}). Make it readable, or set SECRETS_KEY.`,
    );
  });
  if (text === undefined) return undefined;
  if (!/^[0-9a-f]{64}\s*$/i.test(text)) {
    throw new SettingsError(`${path} must be 64 hex digits. Restore it from a backup, or set SECRETS_KEY.`);
  }
  return Buffer.from(text.trim(), 'hex');
}

/**
 * Stores the key unless the file exists, and returns the stored key. Writes a temporary file, then links it to the path:
 * unlike rename, link never replaces another process's key.
 */
async function writeKey(dataDir: string, path: string, newKey: Buffer): Promise<Buffer> {
  await mkdir(dataDir, { recursive: true, mode: 0o700 });
  const temporary = join(dataDir, `secrets.key.${randomUUID()}`);
  try {
    const file = await open(temporary, 'wx', 0o600);
    try {
      await file.writeFile(`${newKey.toString('hex')}\n`);
      await file.sync();
    } finally {
      await file.close();
    }
    await link(temporary, path).catch((err: NodeJS.ErrnoException) => {
      if (err.code !== 'EEXIST') throw err;
    });
  } finally {
    await rm(temporary, { force: true });
  }
  await syncFolder(dataDir);
  const key = await readKey(path);
  if (key === undefined)
    throw new SettingsError(`${path} was deleted while the service started. Start the service again.`);
  return key;
}
