// Tests synthesizeWithCommand, which runs a command that reads text and writes WAV.
import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { synthesizeWithCommand } from '../../src/providers/speech-command.ts';
import { waitUntil } from '../support/processes.ts';

const NEVER_ABORTED = new AbortController().signal;

describe('synthesizeWithCommand', () => {
  let folder: string;
  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'graphwright-speech-'));
  });
  after(() => rm(folder, { recursive: true, force: true }));

  /** Returns a command that runs the given code in Node. */
  async function createCommand(code: string): Promise<string> {
    const file = join(folder, `${Math.random()}.mjs`);
    await writeFile(file, code);
    return `"${process.execPath}" "${file}"`;
  }
  const WAV = "Buffer.concat([Buffer.from('RIFF0000WAVEfmt '), text])";
  const readText =
    "import { buffer } from 'node:stream/consumers'; const text = await buffer(process.stdin);";

  it('passes the text on stdin and returns the WAV file', async () => {
    const words = 'Hi "there"; $(rm -rf /) `x` \n ü 狐';
    const wav = await synthesizeWithCommand(
      await createCommand(`${readText} process.stdout.write(${WAV});`),
      words,
      NEVER_ABORTED,
    );
    assert.equal(wav.subarray(16).toString(), words);
  });

  it('rejects a nonzero exit code and output that is not WAV', async () => {
    const failingCommand = await createCommand('process.exit(3);');
    await assert.rejects(synthesizeWithCommand(failingCommand, 'Hi', NEVER_ABORTED), {
      message: /exit code 3/,
    });
    const noisy = await createCommand("process.stdout.write('hello there, no WAV');");
    await assert.rejects(synthesizeWithCommand(noisy, 'Hi', NEVER_ABORTED), { message: /did not write WAV/ });
    await assert.rejects(synthesizeWithCommand('no-such-command-here', 'Hi', NEVER_ABORTED), {
      message: /exit code 127/,
    });
  });

  it('stops a command that writes too much or takes too long', async () => {
    const endless = await createCommand(
      "for (;;) await new Promise(done => process.stdout.write('x'.repeat(65536), done));",
    );
    await assert.rejects(synthesizeWithCommand(endless, 'Hi', NEVER_ABORTED, { maxBytes: 100_000 }), {
      message: /more than 100000/,
    });
    const silent = await createCommand('setInterval(() => {}, 1000);');
    await assert.rejects(synthesizeWithCommand(silent, 'Hi', NEVER_ABORTED, { timeoutMs: 50 }), {
      message: /too long/,
    });
  });

  it('kills the command with all its child processes when the run is stopped', async () => {
    const startedFile = join(folder, 'started');
    const child = await createCommand(
      `import { writeFileSync } from 'node:fs'; writeFileSync(${JSON.stringify(startedFile)}, ''); setInterval(() => {}, 1000);`,
    );
    const stop = new AbortController();
    // `; true` keeps the shell as the command's parent. If a process survived, it would keep stdout open, and the promise
    // would not settle.
    const speaking = synthesizeWithCommand(`${child}; true`, 'Hi', stop.signal);
    await waitUntil('the command to start', () => existsSync(startedFile));
    stop.abort('cancelled');
    await assert.rejects(speaking, reason => reason === 'cancelled');
  });
});
