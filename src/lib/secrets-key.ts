// The key that encrypts stored secrets: SECRETS_KEY, or one made in the data folder at the first start.
import { randomBytes, randomUUID } from 'node:crypto';
import { link, mkdir, open, readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { SettingsError } from './settings.ts';
import { syncFolder } from './sync-folder.ts';

const FILE = 'secrets.key';

export interface SecretsKeySource {
  /** 64 hex digits, checked by the settings; undefined: the key is kept in `dataDir`. */
  readonly SECRETS_KEY: string | undefined;
  readonly dataDir: string;
}

/** The key that is there; undefined: none has been made yet. */
export async function findSecretsKey({
  SECRETS_KEY,
  dataDir,
}: SecretsKeySource): Promise<Buffer | undefined> {
  return SECRETS_KEY === undefined ? readKey(join(dataDir, FILE)) : Buffer.from(SECRETS_KEY, 'hex');
}

/** Keeps a key in the folder, where there is none yet. */
export function keepSecretsKey(dataDir: string, key: Buffer): Promise<Buffer> {
  return writeKey(dataDir, join(dataDir, FILE), key);
}

/** The 32-byte key. Several processes that start at once on one folder all get the same one. */
export async function loadSecretsKey({ SECRETS_KEY, dataDir }: SecretsKeySource): Promise<Buffer> {
  const found = await findSecretsKey({ SECRETS_KEY, dataDir });
  return found ?? (await writeKey(dataDir, join(dataDir, FILE), randomBytes(32)));
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

/** Writes a complete file next to the path, then links it there: link, unlike rename, never replaces another process's key. */
async function writeKey(dataDir: string, path: string, fresh: Buffer): Promise<Buffer> {
  await mkdir(dataDir, { recursive: true, mode: 0o700 });
  const temporary = join(dataDir, `secrets.key.${randomUUID()}`);
  try {
    const file = await open(temporary, 'wx', 0o600);
    try {
      await file.writeFile(`${fresh.toString('hex')}\n`);
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
  if (key === undefined) throw new SettingsError(`${path} vanished while the service started.`);
  return key;
}
