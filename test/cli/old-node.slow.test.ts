// Tests the message that `graphwright` prints on an outdated Node, from the checkout and from the package.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, describe, it } from 'node:test';
import { createPackagedCommand } from '../../scripts/package/files.ts';
import { OTHER_NODES, readMajorVersion } from '../support/peers.ts';
import { BIN } from '../support/service.ts';

const ROOT = join(import.meta.dirname, '../..');
const OLD_NODES = OTHER_NODES.filter(node => readMajorVersion(node) < 24);
const SKIP = OLD_NODES.length === 0 && 'this machine has no Node below 24; name one in SDK_NODES';

const folder = mkdtempSync(join(tmpdir(), 'graphwright-old-node-'));
after(() => rmSync(folder, { recursive: true, force: true }));
mkdirSync(join(folder, 'bin'));
writeFileSync(join(folder, 'package.json'), '{"type":"module"}');
const packagedBin = join(folder, 'bin/graphwright.js');
writeFileSync(packagedBin, createPackagedCommand(ROOT));

describe('graphwright on an outdated Node', { skip: SKIP }, () => {
  for (const node of OLD_NODES)
    for (const bin of [BIN, packagedBin])
      it(`prints one sentence on ${node} from ${bin === BIN ? 'the checkout' : 'the package'}`, () => {
        const { status, stdout, stderr } = spawnSync(node, [bin, 'serve'], { encoding: 'utf8' });
        assert.equal(status, 2, stderr);
        assert.equal(stdout, '');
        assert.match(stderr, /^graphwright needs Node 24 or newer, and this is [\d.]+\. [^\n]+\n$/);
      });
});
