// Defines the first entry of a backup: its format, schema version and tables.
import { type Static, Type } from 'typebox';
import { sha256Hex } from '../../lib/crypto.ts';
import { AppError } from '../../lib/errors.ts';
import { parseJson } from '../../lib/record.ts';
import { matchesSchema } from '../../lib/schema-check.ts';

/** The version of the format. Increase the number when the program can no longer read older backups. */
const FORMAT = 1;
const MAX_HEADER_BYTES = 1_048_576;

const Header = Type.Object({
  format: Type.Literal(FORMAT),
  /** The program's version. */
  graphwright: Type.String(),
  createdAt: Type.String(),
  schema: Type.Object({
    migrations: Type.Array(
      Type.Object({ version: Type.Integer(), name: Type.String(), checksum: Type.String() }),
    ),
    queue: Type.Integer(),
  }),
  tables: Type.Array(Type.Object({ name: Type.String(), columns: Type.Array(Type.String()) })),
  sequences: Type.Array(Type.Object({ name: Type.String(), value: Type.Number() })),
  media: Type.Object({ files: Type.Integer(), bytes: Type.Number() }),
  secretsKey: Type.Object({
    /** Null if the key was not available when the backup was made. */
    fingerprint: Type.Union([Type.String(), Type.Null()]),
    isIncluded: Type.Boolean(),
  }),
});

export type BackupHeader = Static<typeof Header>;

export const HEADER_NAME = 'backup.json';
/** The entry that contains the secrets key as hex digits, if the key is included. */
export const KEY_NAME = 'secrets.key';

export function writeHeader(header: Omit<BackupHeader, 'format'>): Buffer {
  return Buffer.from(`${JSON.stringify({ format: FORMAT, ...header }, null, 2)}\n`);
}

/** Returns the header. Throws if the file is not a backup, or has a newer format. */
export async function readHeader(body: AsyncIterable<Uint8Array>, bytes: number): Promise<BackupHeader> {
  if (bytes > MAX_HEADER_BYTES) throw createNotABackupError();
  const value = parseJson(Buffer.concat(await Array.fromAsync(body)).toString());
  if (matchesSchema(Header, value)) return value;
  const format = (value as { format?: unknown } | null | undefined)?.format;
  if (typeof format !== 'number' || format <= FORMAT) throw createNotABackupError();
  throw new AppError(
    'invalid_request',
    'The backup was written by a newer version of Graphwright. Restore it with that version.',
  );
}

/** Creates the error for a file that `backup` did not write. */
export function createNotABackupError(): AppError {
  return new AppError('invalid_request', 'The file is not a Graphwright backup.');
}

/** Identifies a secrets key without revealing it: the key has 256 random bits. */
export function computeFingerprint(secretsKey: Uint8Array): string {
  return sha256Hex(Buffer.concat([Buffer.from('graphwright secrets key\0'), secretsKey])).slice(0, 16);
}
