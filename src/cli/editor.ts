// `graphwright editor build`: creates the bundle of the web application before the first start, for images.
import { resolve } from 'node:path';
import { openBundle } from '../bundle/editor-files.ts';
import { SHIPPED_FOLDER } from '../bundle/stored-bundles.ts';
import { readSettings } from '../lib/settings.ts';
import { getEditorFolder } from '../service.ts';
import type { Command } from './command.ts';

export const buildEditor: Command = async ({ options, terminal, signal }) => {
  const folder = typeof options.out === 'string' ? resolve(options.out) : getEditorFolder(readSettings());
  const onStoreError = (err: unknown): never => {
    throw err;
  };
  const { hash, isNew } = await openBundle({ folder, now: Date.now, onStoreError }, signal);
  if (options.json === true) terminal.print(JSON.stringify({ folder, hash, isNew }));
  else if (hash === SHIPPED_FOLDER)
    terminal.print('The package already contains its bundle, so nothing was built.');
  else
    terminal.print(
      `${isNew ? 'Bundled into' : 'Already in'} ${folder}/${hash}. Start with EDITOR_DIR=${folder}.`,
    );
};
