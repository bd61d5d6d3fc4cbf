// Other people's programs and types that the service is held to. They are many files, and so come by an install of their own.
import { existsSync } from 'node:fs';
import { join } from 'node:path';

export const PEERS = join(import.meta.dirname, '../peers');
export const PEER_MODULES = join(PEERS, 'node_modules');

/** Why a test that needs them is skipped; false: they are here. */
export const NO_PEERS =
  !existsSync(join(PEER_MODULES, '.bin')) && 'npm ci --prefix test/peers installs what this is held to';

/** The path of one of their programs. */
export const peerProgram = (name: string): string => join(PEER_MODULES, '.bin', name);
