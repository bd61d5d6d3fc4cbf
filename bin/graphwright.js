#!/usr/bin/env node
// The door from the shell: checks the Node version in a sentence, turns the compile cache on, runs src/main.ts.
import { enableCompileCache } from 'node:module';

const major = Number(process.versions.node.split('.')[0]);
if (major < 24) {
  process.stderr.write(
    `graphwright needs Node 24 or newer, and this is ${process.versions.node}. ` +
      'Run it through npm (`npm start`, `npm exec graphwright`): npm brings the right Node along.\n',
  );
  process.exit(2);
}
enableCompileCache();
await import('../src/main.ts');
