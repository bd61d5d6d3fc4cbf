// Reads audio for the codec host: decodes it, converts it to stereo, positions it in time, and resamples it to 48 kHz.
import { AudioSampleSink, EncodedPacketSink, type InputAudioTrack } from 'mediabunny';
import { type AudioData, AudioDecoder, EncodedAudioChunk } from 'node-webcodecs';
import { type AudioCommand, CHANNELS, SAMPLE_RATE, UnsupportedCodecError } from '../command.ts';
import { nameCodec, openInput } from '../open-input.ts';
import { Backpressure } from './backpressure.ts';
import { readStartDelay } from './mp3-delay.ts';
import { flushOutput, writeOut } from './pipe.ts';
import { createResampler } from './resample.ts';

const MAX_IN_PROGRESS = 16;

export async function writeAudio({ path, info, startSeconds, seconds }: AudioCommand): Promise<void> {
  const input = openInput(path);
  const track = await input.getPrimaryAudioTrack();
  if (track === null) throw new Error('The file has no audio.');
  const rate = await track.getSampleRate();
  const startDelay = (await track.getCodec()) === 'mp3' ? readStartDelay(path) : 0;
  // The position of the first sample, in source samples from the start of the file. Samples before the start are dropped.
  const offset = Math.round(((await track.getFirstTimestamp()) - info.startSeconds) * rate) - startDelay;
  const resample = createResampler(rate, SAMPLE_RATE);
  const outputWindow = createOutputWindow(
    Math.round(startSeconds * SAMPLE_RATE),
    Math.round(seconds * SAMPLE_RATE),
  );
  if (offset > 0) await outputWindow.write(resample(new Float32Array(offset * CHANNELS)));
  let samplesToDrop = Math.max(0, -offset);
  for await (const block of yieldBlocks(track)) {
    const dropped = Math.min(samplesToDrop, block.length / CHANNELS);
    samplesToDrop -= dropped;
    await outputWindow.write(resample(block.subarray(dropped * CHANNELS)));
    if (outputWindow.isFull()) break;
  }
  await outputWindow.write(resample(undefined));
  await flushOutput();
}

/** Returns a writer that writes only the requested samples to the pipe. */
function createOutputWindow(start: number, length: number) {
  let position = 0;
  return {
    isFull: () => position >= start + length,
    async write(block: Float32Array): Promise<void> {
      const frames = block.length / CHANNELS;
      const from = Math.min(frames, Math.max(0, start - position));
      const to = Math.min(frames, Math.max(0, start + length - position));
      position += frames;
      const part = block.subarray(from * CHANNELS, to * CHANNELS);
      // Copied, because the resampler may reuse its buffer.
      if (part.length > 0) await writeOut(Buffer.from(Float32Array.from(part).buffer));
    },
  };
}

/** Yields stereo blocks at the source's sample rate. */
function yieldBlocks(track: InputAudioTrack): AsyncGenerator<Float32Array> {
  return track.codec?.startsWith('pcm-') || ['ulaw', 'alaw'].includes(String(track.codec))
    ? yieldPcmBlocks(track)
    : yieldDecodedBlocks(track);
}

async function* yieldPcmBlocks(track: InputAudioTrack): AsyncGenerator<Float32Array> {
  for await (const sample of new AudioSampleSink(track).samples()) {
    const data = new Float32Array(sample.numberOfFrames * sample.numberOfChannels);
    sample.copyTo(data, { planeIndex: 0, format: 'f32' });
    const stereo = toStereo(data, sample.numberOfChannels);
    sample.close();
    yield stereo;
  }
}

async function* yieldDecodedBlocks(track: InputAudioTrack): AsyncGenerator<Float32Array> {
  const config = await track.getDecoderConfig();
  if (config === null) throw new UnsupportedCodecError(await nameCodec(track));
  const pressure = new Backpressure();
  const out: AudioData[] = [];
  let inputCount = 0;
  let outputCount = 0;
  const decoder = new AudioDecoder({
    error: err => pressure.fail(err),
    output: data => {
      outputCount++;
      out.push(data);
      pressure.progress();
    },
  });
  const { codec: name, sampleRate, numberOfChannels, description } = config;
  const options = { codec: name, sampleRate, numberOfChannels };
  const fullConfig =
    description === undefined ? options : { ...options, description: description as ArrayBuffer };
  if (!(await AudioDecoder.isConfigSupported(fullConfig)).supported)
    throw new UnsupportedCodecError(await nameCodec(track));
  decoder.configure(fullConfig);
  for await (const packet of new EncodedPacketSink(track).packets()) {
    const timestamp = Math.round(packet.timestamp * 1e6);
    decoder.decode(new EncodedAudioChunk({ type: 'key', timestamp, data: packet.data }));
    inputCount++;
    await pressure.untilBelowOrStalled(MAX_IN_PROGRESS, () => inputCount - outputCount);
    for (const data of out.splice(0)) yield readStereoFloats(data);
  }
  await decoder.flush();
  pressure.throwIfFailed();
  for (const data of out.splice(0)) yield readStereoFloats(data);
}

const SAMPLE_READERS: Readonly<Record<string, (bytes: ArrayBuffer) => Float32Array>> = {
  f32: bytes => new Float32Array(bytes),
  s16: bytes => Float32Array.from(new Int16Array(bytes), value => value / 32_768),
  s32: bytes => Float32Array.from(new Int32Array(bytes), value => value / 2_147_483_648),
  u8: bytes => Float32Array.from(new Uint8Array(bytes), value => (value - 128) / 128),
};

/** Reads samples in their own format, because `copyTo` ignores a requested format. */
function readStereoFloats(data: AudioData): Float32Array {
  const { format, numberOfFrames, numberOfChannels } = data;
  const reader = SAMPLE_READERS[String(format)];
  if (reader === undefined) throw new UnsupportedCodecError(`of samples as ${format}`);
  const bytes = new ArrayBuffer(data.allocationSize({ planeIndex: 0 }));
  data.copyTo(bytes, { planeIndex: 0 });
  data.close();
  return toStereo(reader(bytes).subarray(0, numberOfFrames * numberOfChannels), numberOfChannels);
}

/** Gain of the center and rear channels. The usual order is left, right, center, low frequencies, rear left and right. */
const CENTER_GAIN = Math.SQRT1_2;

function toStereo(samples: Float32Array, channels: number): Float32Array {
  if (channels === 2) return samples;
  const frames = samples.length / channels;
  const out = new Float32Array(frames * 2);
  for (let i = 0; i < frames; i++) {
    const getSample = (channel: number): number =>
      channel < channels ? (samples[i * channels + channel] as number) : 0;
    out[2 * i] = channels === 1 ? getSample(0) : getSample(0) + CENTER_GAIN * (getSample(2) + getSample(4));
    out[2 * i + 1] =
      channels === 1 ? getSample(0) : getSample(1) + CENTER_GAIN * (getSample(2) + getSample(5));
  }
  return out;
}
