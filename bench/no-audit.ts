// Leaves out the rows of the audit log. Preload this file into a service to measure the service without them.
import assert from 'node:assert/strict';
import { registerHooks } from 'node:module';

const RECORD = 'tx.appendToCommit(INSERT, toValues(caller, entry));';

registerHooks({
  load(url, context, nextLoad) {
    const loaded = nextLoad(url, context);
    if (!url.endsWith('/src/store/audit/record-audit.ts')) return loaded;
    const source = String(loaded.source);
    assert.ok(source.includes(RECORD));
    return { ...loaded, source: source.replace(RECORD, 'void [tx, caller, entry];') };
  },
});
