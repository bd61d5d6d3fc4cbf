// Tests the import of files of other programs on the command line.
import assert from 'node:assert/strict';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, it } from 'node:test';
import { deflateSync } from 'node:zlib';
import { makePng } from '../graph/comfyui/images.ts';
import { TEXT_TO_IMAGE } from '../graph/comfyui/ui-files.ts';
import { spawnFirst } from '../support/command-line.ts';
import { KEY, startTestService, type TestService } from '../support/service.ts';

let service: TestService;
let folder: string;
before(async () => {
  [service, folder] = await Promise.all([
    startTestService(),
    mkdtemp(join(tmpdir(), 'graphwright-cli-import-')),
  ]);
});
after(async () => {
  await service.close();
  await rm(folder, { recursive: true, force: true });
});

async function importBytes(name: string, bytes: string | Buffer, ...options: readonly string[]) {
  const path = join(folder, name);
  await writeFile(path, bytes);
  return spawnFirst(['import', path, ...options], { GRAPHWRIGHT_URL: service.url, GRAPHWRIGHT_API_KEY: KEY });
}

it('graphwright import reads files and images of ComfyUI', async () => {
  const file = await importBytes('fox.json', JSON.stringify(TEXT_TO_IMAGE));
  assert.match(file.out, /^wf_\w+ {2}fox/);
  assert.match(
    file.err,
    /comfyui-ui-0\.4: 1 nodes became nodes of the board, 7 are part of the ComfyUI node/,
  );
  const text = Buffer.concat([
    Buffer.from('workflow\0\x01\0\0\0'),
    deflateSync(JSON.stringify(TEXT_TO_IMAGE)),
  ]);
  const image = await importBytes('fox.png', makePng([['iTXt', text]]), '--dry-run');
  assert.match(image.out, /^fox was not stored\./);
});

it('graphwright import names the nodes that it keeps or drops, and refuses other files', async () => {
  const source = { mesh: { type: 'run', app: 'someone/mesh', input: {} } };
  const { err } = await importBytes('mesh.json', JSON.stringify(source), '--dry-run');
  assert.match(err, /fal: .* 1 were kept/);
  assert.match(err, /mesh someone\/mesh: The model is not installed/);
  const other = await importBytes('other.json', '{"a":1}');
  assert.notEqual(other.code, 0);
  assert.match(other.err, /The file is of no known format/);
});
