// Locates third-party programs and types that tests compare the service against. They are many files, so they have a
// separate install.
import { existsSync } from 'node:fs';
import { join } from 'node:path';

export const PEERS = join(import.meta.dirname, '../peers');
export const PEER_MODULES = join(PEERS, 'node_modules');

/** Why a test that needs them is skipped; false if they are installed. */
export const NO_PEERS =
  !existsSync(join(PEER_MODULES, '.bin')) && 'npm ci --prefix test/peers installs what this is held to';

/** The path of one of the installed programs. */
export const peerProgram = (name: string): string => join(PEER_MODULES, '.bin', name);
