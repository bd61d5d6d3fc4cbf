// Holds the script that reloads a waiting page. A meta refresh would not work: it does not reload addresses with a
// fragment, such as links to set a password.
import { sha256Hex } from '../lib/crypto.ts';

export const RELOAD_SCRIPT = 'setTimeout(()=>location.reload(),1000)';

export const RELOAD_PATH = `/pages/reload-${sha256Hex(RELOAD_SCRIPT).slice(0, 12)}.js`;
