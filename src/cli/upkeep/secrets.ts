// `graphwright secrets`: `rotate` changes the secrets key of a stopped service (if interrupted, run it again), and `reset`
// continues without a lost one.
import { findSecretsKey, finishRotation, loadNextKey, loadSecretsKey } from '../../lib/secrets-key.ts';
import { readSettings, SettingsError } from '../../lib/settings.ts';
import { requireServiceStopped } from '../../services/instance/require-service-stopped.ts';
import { rotateSecrets, type SecretsKeys } from '../../services/instance/rotate-secrets.ts';
import { resetSecretsKey } from '../../services/instance/secrets-key.ts';
import { type Command, UsageError } from '../command.ts';
import { withDatabase } from '../database.ts';
import { toKeySource } from './backup.ts';

export const rotateKey: Command = async ({ options, terminal }) => {
  const settings = readSettings();
  const { SECRETS_KEY, NEW_SECRETS_KEY, DATA_DIR } = settings;
  const isInDataDir = SECRETS_KEY === undefined;
  if (isInDataDir && NEW_SECRETS_KEY !== undefined)
    throw new SettingsError(
      `NEW_SECRETS_KEY requires SECRETS_KEY. A key in ${DATA_DIR} is replaced by a generated one.`,
    );
  const oldKey = await findSecretsKey(toKeySource(settings));
  if (oldKey === undefined)
    throw new UsageError(`There is no secrets key in ${DATA_DIR}. Set DATA_DIR or SECRETS_KEY.`);
  const result = await withDatabase(settings, async db => {
    await requireServiceStopped(db);
    const keys: SecretsKeys = {
      oldKey,
      newKey: isInDataDir ? await loadNextKey(DATA_DIR) : parseNewKey(NEW_SECRETS_KEY),
    };
    return rotateSecrets(db, keys);
  });
  if (isInDataDir) await finishRotation(DATA_DIR, oldKey);
  if (options.json === true) terminal.print(JSON.stringify(result));
  else
    terminal.print(
      `Secrets encrypted with the new key: ${result.rotated}. Already encrypted with it: ${result.already}.`,
    );
  terminal.note(
    isInDataDir
      ? `The new key is in ${DATA_DIR}/secrets.key, the old one in secrets.key.old. Keep the old one to restore earlier backups.`
      : 'Start every process with SECRETS_KEY set to the new key. Keep the old one to restore earlier backups.',
  );
};

function parseNewKey(text: string | undefined): Buffer {
  if (text === undefined)
    throw new UsageError('Set NEW_SECRETS_KEY to the new key (openssl rand -hex 32) next to SECRETS_KEY.');
  return Buffer.from(text, 'hex');
}

export const resetKey: Command = async ({ options, terminal }) => {
  const settings = readSettings();
  const result = await withDatabase(settings, async db => {
    await requireServiceStopped(db);
    const key = await loadSecretsKey(toKeySource(settings));
    return db.transaction(tx => resetSecretsKey(tx, key));
  });
  if (options.json === true) terminal.print(JSON.stringify(result));
  else
    terminal.print(
      `The service can start with its current key. Secrets that this key cannot read: ${result.unreadable}. Enter them again.`,
    );
};
