#!/usr/bin/env node
// Checks the Node version before anything that an older Node cannot read, turns the compile cache on and runs src/main.ts.

const major = Number(process.versions.node.split('.')[0]);
if (major < 24) {
  process.stderr.write(
    `graphwright needs Node 24 or newer, and this is ${process.versions.node}. ` +
      'Run it through npm (`npm start`, `npm exec graphwright`): npm brings the right Node along.\n',
  );
  process.exit(2);
}
// Not a static import: Node 20 has no enableCompileCache and would fail before the check.
const { enableCompileCache } = await import('node:module');
enableCompileCache();
await import('../src/main.ts');
