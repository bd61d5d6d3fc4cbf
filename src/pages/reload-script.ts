// The script of the page that waits: it loads the page again. An element in its place would not where the address has a
// fragment, as links to set a password have.
import { sha256Hex } from '../lib/crypto.ts';

export const RELOAD_SCRIPT = 'setTimeout(()=>location.reload(),1000)';

export const RELOAD_PATH = `/pages/reload-${sha256Hex(RELOAD_SCRIPT).slice(0, 12)}.js`;
