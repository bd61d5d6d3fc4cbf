// Tests how codec processes are supervised: crashes, stalls and error output. Small programs replace the codecs.
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { describe, it } from 'node:test';
import { promisify } from 'node:util';
import { getBackend, hasBackend } from '../../src/codecs/backend.ts';
import { CodecChild, toPrintable } from '../../src/codecs/child.ts';
import { EXIT_UNSUPPORTED } from '../../src/codecs/command.ts';
import { checkFfmpeg } from '../../src/codecs/ffmpeg.ts';
import { Backpressure } from '../../src/codecs/host/backpressure.ts';
import { checkCodecHost, isHostInstalled } from '../../src/codecs/host/codec-host.ts';

const { signal } = new AbortController();

function startProgram(script: string, stallMs?: number): CodecChild {
  const spawnSpec = { file: process.execPath, args: ['-e', script], env: {} };
  return new CodecChild(spawnSpec, { signal, failure: 'codec_failed', ...(stallMs && { stallMs }) });
}

async function getFailure(child: CodecChild): Promise<unknown> {
  try {
    for await (const _ of child.read());
    await child.finish();
    return undefined;
  } catch (err) {
    return child.endWithReason(err);
  }
}

describe('CodecChild', () => {
  it('kills a process that makes no progress for too long', async () => {
    const failure = await getFailure(startProgram('setInterval(() => {}, 1000)', 300));
    assert.ok(failure instanceof Error);
    assert.equal(failure.message, 'The codec stopped responding and was stopped.');
  });

  it('reports a failure with a message of the service and the sanitized output as the cause', async () => {
    const failure = await getFailure(
      startProgram(
        'process.stderr.write(Buffer.from([7, 0, 255, 254, 65, 66, 10, 27, 91])); process.exitCode = 1',
      ),
    );
    assert.ok(failure instanceof Error && failure.cause instanceof Error);
    assert.equal(failure.message, 'The codec failed while writing the file.');
    assert.match(failure.cause.message, /^[\x20-\x7e\n]*$/);
    assert.match(failure.cause.message, /AB/);
    assert.equal(toPrintable('\u0000\u0001'), 'no message');
  });

  it('reports a process that was killed or does not exist', async () => {
    for (const child of [
      startProgram("process.kill(process.pid, 'SIGSEGV')"),
      new CodecChild({ file: '/no/such/program', args: [], env: {} }, { signal, failure: 'codec_failed' }),
    ]) {
      const failure = await getFailure(child);
      assert.ok(failure instanceof Error && /^The codec failed/.test(failure.message));
    }
  });

  it('reports a missing codec by the exit code of the process', async () => {
    const failure = await getFailure(startProgram(`process.exitCode = ${EXIT_UNSUPPORTED}`));
    assert.ok(failure instanceof Error && /install ffmpeg/.test(failure.message));
  });

  it('does not pass environment variables of the service to the process', async () => {
    const child = startProgram('process.stdout.write(JSON.stringify(process.env))');
    const blocks: Buffer[] = [];
    for await (const block of child.read()) blocks.push(block);
    await child.finish();
    await child.end();
    assert.deepEqual(JSON.parse(Buffer.concat(blocks).toString()), {});
  });
});

describe('Backpressure', () => {
  it('makes the producer wait for outputs and reports a failure of the codec', async () => {
    const pressure = new Backpressure();
    let inProgress = 3;
    const untilBelow = pressure.untilBelow(2, () => inProgress);
    inProgress = 1;
    pressure.progress();
    await untilBelow;
    pressure.fail(new Error('\u0001garbage'));
    await assert.rejects(
      pressure.untilBelow(2, () => inProgress),
      /^Error: The codec reported an error\.$/,
    );
  });

  it('admits another input if the codec holds back its output', async () => {
    await new Backpressure().untilBelowOrStalled(2, () => 5);
  });
});

describe('getBackend and its back ends', () => {
  it('checkFfmpeg returns the reason if ffmpeg does not start', async () => {
    const reason = await checkFfmpeg('/no/such/ffmpeg', signal);
    assert.equal(reason, 'the ffmpeg at /no/such/ffmpeg does not start');
    assert.match(String(await checkFfmpeg(process.execPath, signal)), /does not start|has no encoder/);
    assert.equal(hasBackend({ FFMPEG_PATH: '/no/such/ffmpeg' }), true);
  });

  it('getBackend returns the codec host if FFMPEG_PATH is not an ffmpeg', {
    skip: !isHostInstalled(),
  }, async () => {
    const backend = await getBackend({ FFMPEG_PATH: '/no/such/ffmpeg' }, signal);
    assert.equal(backend.name, 'codec-host');
    assert.match(backend.detail, /openh264; the ffmpeg at \/no\/such\/ffmpeg does not start/);
    assert.equal(await getBackend({ FFMPEG_PATH: '/no/such/ffmpeg' }, signal), backend);
  });

  it('checkCodecHost refuses the variant of the addon that loads system libraries', {
    skip: !isHostInstalled(),
  }, async () => {
    const host = await checkCodecHost([], signal);
    assert.ok(typeof host !== 'string');
    const { file, args, env } = host.toSpawnSpec({ kind: 'audio' } as never);
    assert.equal(env.NODE_WEBCODECS_FORCE, 'static');
    const check = [...args.slice(0, -1), '{"kind":"check"}'];
    await assert.rejects(promisify(execFile)(file, check, { env: { NODE_WEBCODECS_FORCE: 'dynamic' } }));
  });
});
