// Tests the nodes that run models on this machine, on real inputs, and with inputs that are broken or too large.
import assert from 'node:assert/strict';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, describe, it } from 'node:test';
import sharp from 'sharp';
import type { MediaRef } from '../../src/graph/types.ts';
import { findPackage, LOCAL_FEATURES, listMissing } from '../../src/local/packages.ts';
import { makeContext, runNode } from '../support/engine/node-context.ts';
import { synthesizeSpeech, toWav } from '../support/local/speech.ts';
import { isNear, plainImage } from '../support/media/pixels.ts';

const skip = LOCAL_FEATURES.some(feature => listMissing(feature).length > 0) && 'packages are not installed';
const folder = await mkdtemp(join(tmpdir(), 'graphwright-local-'));
const base = makeContext();
const ctx = { ...base, settings: { ...base.settings, DATA_DIR: folder } };
after(() => rm(folder, { recursive: true }));

const run = (nodeType: string, values: Readonly<Record<string, unknown>>) => runNode(nodeType, values, ctx);
/** Runs the node on a picture, and returns its warnings too. */
async function runWithWarnings(nodeType: string, image: MediaRef) {
  const warnings: string[] = [];
  const task = { ...ctx.task, warn: (sentence: string) => void warnings.push(sentence) };
  return { outputs: await runNode(nodeType, { image }, { ...ctx, task }), warnings };
}
const bytesOf = (ref: unknown): Buffer => base.bytesOf(ref as MediaRef);
const readRaw = (bytes: Buffer) => sharp(bytes).raw().toBuffer({ resolveWithObject: true });

interface Box {
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
}

/** A man at a table, in a picture of the package that has the model of faces. His face is at 106, 20 and 36 pixels wide. */
async function openPortrait(): Promise<Buffer> {
  const picture = join(findPackage('@vladmandic/human') ?? '', 'assets/samples.jpg');
  return sharp(await readFile(picture))
    .extract({ left: 325, top: 0, width: 212, height: 158 })
    .png()
    .toBuffer();
}

/** Draws a card with these texts. */
async function drawCard(title: string, text: string): Promise<MediaRef> {
  const { image } = await runNode('utility:text_to_image_card', { title, text, theme: 'paper' }, ctx);
  return image as MediaRef;
}

/** A circle on a transparent background. */
async function drawCircle(size: number): Promise<Buffer> {
  const pixels = Buffer.alloc(4 * size * size);
  for (let y = 0; y < size; y++)
    for (let x = 0; x < size; x++)
      if (Math.hypot(x - size / 2, y - size / 2) < 0.4 * size)
        pixels.set([200, 0, 50, 255], 4 * (y * size + x));
  return sharp(pixels, { raw: { width: size, height: size, channels: 4 } })
    .png()
    .toBuffer();
}

/** Returns how similar images are, in dB. */
async function measureSimilarity(a: Buffer, b: Buffer): Promise<number> {
  const [first, second] = [await readRaw(a), await readRaw(b)];
  assert.deepEqual([first.info.width, first.info.channels], [second.info.width, second.info.channels]);
  const sum = first.data.reduce((total, value, at) => total + (value - (second.data[at] ?? 0)) ** 2, 0);
  return 10 * Math.log10(255 ** 2 / (sum / first.data.length));
}

describe('edit:upscale_local', { skip }, () => {
  it('enlarges a picture so that it is nearer to the original than plain scaling', async () => {
    const original = await sharp(bytesOf(await drawCard('Sharp edges', 'Letters have many of them.')))
      .resize(480, 252)
      .removeAlpha()
      .png()
      .toBuffer();
    const reduced = await sharp(original).resize(240, 126, { kernel: 'lanczos3' }).png().toBuffer();
    const plain = await sharp(reduced).resize(480, 252, { kernel: 'lanczos3' }).png().toBuffer();
    const { image } = await run('edit:upscale_local', {
      image: await base.upload(reduced, 'image/png'),
      scale: 2,
    });
    const similarity = await measureSimilarity(bytesOf(image), original);
    const plainSimilarity = await measureSimilarity(plain, original);
    assert.ok(similarity > plainSimilarity, `${similarity} dB, ${plainSimilarity} dB with plain scaling`);
  });

  it('has no seams between tiles', async () => {
    const picture = await sharp(await openPortrait())
      .resize(300, 40, { fit: 'cover' })
      .png()
      .toBuffer();
    const [left, right] = [
      await sharp(picture).extract({ left: 0, top: 0, width: 200, height: 40 }).png().toBuffer(),
      await sharp(picture).extract({ left: 100, top: 0, width: 200, height: 40 }).png().toBuffer(),
    ];
    const enlarge = async (bytes: Buffer): Promise<Buffer> =>
      bytesOf(
        (await run('edit:upscale_local', { image: await base.upload(bytes, 'image/png'), scale: 2 })).image,
      );
    const whole = await enlarge(picture);
    // The middle of the picture is at an edge between tiles, and in the middle of these parts.
    for (const [part, from, at] of [
      [left, 240, 240],
      [right, 240, 40],
    ] as const) {
      const expected = await sharp(await enlarge(part))
        .extract({ left: at, top: 0, width: 120, height: 80 })
        .raw()
        .toBuffer();
      const actual = await sharp(whole)
        .extract({ left: from, top: 0, width: 120, height: 80 })
        .raw()
        .toBuffer();
      assert.ok(actual.every((value, index) => Math.abs(value - (expected[index] ?? 0)) <= 1));
    }
  });

  it('keeps transparency and the format of the file', async () => {
    const circle = await base.upload(await drawCircle(40), 'image/png');
    const { image } = await run('edit:upscale_local', { image: circle, scale: 4 });
    const { data, info } = await readRaw(bytesOf(image));
    assert.deepEqual([info.width, info.height, info.channels], [160, 160, 4]);
    assert.equal(data[3], 0);
    assert.ok(isNear([...data.subarray(4 * (80 * 160 + 80), 4 * (80 * 160 + 80) + 4)], [200, 0, 50, 255], 6));
    const jpeg = await base.upload(await plainImage(16, 16, '#336699', 'jpeg'), 'image/jpeg');
    assert.equal(
      ((await run('edit:upscale_local', { image: jpeg })).image as MediaRef).contentType,
      'image/jpeg',
    );
  });

  it('enlarges with the larger model, which also gives twice the size', async () => {
    const picture = await base.upload(await plainImage(24, 16, '#336699'), 'image/png');
    for (const scale of [2, 4]) {
      const { image } = await run('edit:upscale_local', { image: picture, scale, model: 'thick' });
      const { data, info } = await readRaw(bytesOf(image));
      assert.deepEqual([info.width, info.height], [24 * scale, 16 * scale]);
      const center = 3 * (8 * scale * info.width + 12 * scale);
      assert.ok(isNear([...data.subarray(center, center + 3)], [0x33, 0x66, 0x99], 4));
    }
  });

  it('gives the same bytes again', async () => {
    const image = await base.upload(await openPortrait(), 'image/png');
    const [first, second] = [
      await run('edit:upscale_local', { image }),
      await run('edit:upscale_local', { image }),
    ];
    assert.deepEqual(bytesOf(first.image), bytesOf(second.image));
  });
});

describe('edit:cutout_person_local', { skip }, () => {
  it('keeps the person and removes the background', async () => {
    const result = await run('edit:cutout_person_local', {
      image: await base.upload(await openPortrait(), 'image/png'),
    });
    const { data, info } = await readRaw(bytesOf(result.image));
    assert.deepEqual([info.width, info.height, info.channels], [212, 158, 4]);
    const alphaAt = (x: number, y: number): number => data[4 * (y * info.width + x) + 3] ?? 0;
    for (const [x, y] of [
      [125, 38],
      [125, 80],
      [100, 90],
    ] as const)
      assert.ok(alphaAt(x, y) > 250, `${x}, ${y}`);
    for (const [x, y] of [
      [20, 20],
      [180, 15],
      [30, 80],
    ] as const)
      assert.ok(alphaAt(x, y) < 5, `${x}, ${y}`);
    const mask = await readRaw(bytesOf(result.mask));
    assert.deepEqual([mask.info.width, mask.info.height], [212, 158]);
    assert.equal(mask.data[mask.info.channels * (38 * 212 + 125)], alphaAt(125, 38));
  });

  it('warns only of a picture without a person', async () => {
    const nodeType = 'edit:cutout_person_local';
    const plain = await base.upload(await plainImage(200, 100, '#336699'), 'image/png');
    assert.deepEqual((await runWithWarnings(nodeType, plain)).warnings, ['No person was found.']);
    const portrait = await base.upload(await openPortrait(), 'image/png');
    assert.deepEqual((await runWithWarnings(nodeType, portrait)).warnings, []);
  });

  it('keeps transparent parts transparent', async () => {
    const portrait = await openPortrait();
    const withHole = await sharp(portrait)
      .ensureAlpha()
      .composite([{ input: await plainImage(20, 20, '#000000'), left: 115, top: 70, blend: 'dest-out' }])
      .png()
      .toBuffer();
    const { image } = await run('edit:cutout_person_local', {
      image: await base.upload(withHole, 'image/png'),
    });
    const { data, info } = await readRaw(bytesOf(image));
    assert.equal(data[4 * (80 * info.width + 125) + 3], 0);
  });
});

describe('edit:blur_faces_local', { skip }, () => {
  it('hides the face in each mode, and nothing else', async () => {
    const portrait = await openPortrait();
    const before = await readRaw(portrait);
    for (const mode of ['blur', 'pixelate', 'cover']) {
      const { image, faces } = await run('edit:blur_faces_local', {
        image: await base.upload(portrait, 'image/png'),
        mode,
      });
      assert.equal((faces as readonly Box[]).length, 1);
      const [{ x, y, width, height } = { x: 0, y: 0, width: 0, height: 0 }] = faces as readonly Box[];
      assert.ok(x < 110 && x + width > 140 && y < 25 && y + height > 55, JSON.stringify(faces));
      const { data, info } = await readRaw(bytesOf(image));
      let [changed, changedOutside] = [0, 0];
      for (let at = 0; at < info.width * info.height; at++) {
        if ([0, 1, 2].every(channel => data[3 * at + channel] === before.data[3 * at + channel])) continue;
        const [column, row] = [at % info.width, Math.floor(at / info.width)];
        const isInside = column >= x && column < x + width && row >= y && row < y + height;
        if (isInside) changed++;
        else changedOutside++;
      }
      assert.ok(changed > 0.6 * width * height, `${mode}: ${changed}`);
      assert.equal(changedOutside, 0);
    }
  });

  it('finds a small face in a large picture, at the right place', async () => {
    const large = await sharp({ create: { width: 2400, height: 1600, channels: 3, background: '#8090a0' } })
      .composite([{ input: await openPortrait(), left: 1700, top: 900 }])
      .jpeg({ quality: 95 })
      .toBuffer();
    const { faces } = await run('edit:blur_faces_local', { image: await base.upload(large, 'image/jpeg') });
    const [face] = faces as readonly Box[];
    assert.ok(face !== undefined && Math.abs(face.x + face.width / 2 - 1825) < 12, JSON.stringify(faces));
    assert.ok(Math.abs(face.y + face.height / 2 - 938) < 12, JSON.stringify(faces));
  });

  it('changes no picture without faces, and warns', async () => {
    const image = await base.upload(await drawCircle(300), 'image/png');
    const { outputs, warnings } = await runWithWarnings('edit:blur_faces_local', image);
    assert.deepEqual(warnings, ['No faces were found. Check the picture.']);
    assert.deepEqual(outputs.faces, []);
    assert.deepEqual((await readRaw(bytesOf(outputs.image))).data, (await readRaw(bytesOf(image))).data);
  });
});

describe('text:ocr_local', { skip }, () => {
  it('reads the text of a card, with boxes', async () => {
    const image = await drawCard('Opening hours', 'Monday to Friday from 9 to 17');
    const { text, lines } = await run('text:ocr_local', { image });
    assert.match(String(text), /Opening hours/);
    assert.match(String(text), /Monday to Friday\s+from 9 to 17/);
    const [title] = lines as readonly (Box & { readonly text: string; readonly confidence: number })[];
    assert.match(title?.text ?? '', /Opening hours/);
    assert.ok((title?.confidence ?? 0) > 80);
    assert.ok((title?.x ?? -1) >= 0 && (title?.width ?? 0) > 200 && (title?.width ?? 0) <= 1200);
  });

  it('gives an empty text for a picture without text, and warns', async () => {
    const image = await base.upload(await plainImage(200, 100, '#ffffff'), 'image/png');
    assert.deepEqual(await runWithWarnings('text:ocr_local', image), {
      outputs: { text: '', lines: [] },
      warnings: ['No text was found.'],
    });
  });
});

describe('audio:clean_speech_local', { skip }, () => {
  const recording = synthesizeSpeech(
    8,
    [
      [1, 3.2],
      [5, 7],
    ],
    0.03,
  );

  /** Reads the samples of a WAV file. */
  const readWav = (bytes: Buffer): Float32Array =>
    Float32Array.from(new Int16Array(Uint8Array.from(bytes.subarray(44)).buffer), sample => sample / 32_768);
  const measureDb = (samples: Float32Array, start: number, end: number): number => {
    const part = samples.subarray(start * 48_000, end * 48_000);
    return 10 * Math.log10(part.reduce((sum, sample) => sum + sample * sample, 1e-12) / part.length);
  };

  it('removes noise, keeps speech in its place, and finds it', async () => {
    const audio = await base.upload(toWav(recording), 'audio/wav');
    const result = await run('audio:clean_speech_local', { audio, format: 'wav' });
    const cleaned = readWav(bytesOf(result.audio));
    assert.equal(cleaned.length, recording.length);
    assert.ok(measureDb(cleaned, 3.6, 4.6) < measureDb(recording, 3.6, 4.6) - 30);
    assert.ok(Math.abs(measureDb(cleaned, 1.2, 3) - measureDb(recording, 1.2, 3)) < 4);
    const segments = result.segments as readonly { readonly start: number; readonly end: number }[];
    assert.deepEqual(
      segments.map(({ start, end }) => [Math.round(start), Math.round(end)]),
      [
        [1, 3],
        [5, 7],
      ],
    );
    // The cleaned sound is not delayed: it correlates best with the input at the same time.
    const correlate = (delay: number): number => {
      let sum = 0;
      for (let at = 60_000; at < 120_000; at += 3) sum += (recording[at] ?? 0) * (cleaned[at + delay] ?? 0);
      return sum;
    };
    for (const delay of [-960, -480, -200, 200, 480, 960])
      assert.ok(correlate(delay) < correlate(0), `${delay}`);
  });

  it('joins parts of long recordings without a gap', async () => {
    // The first part is 30.08 s long.
    const long = synthesizeSpeech(33, [[28, 32]], 0.02);
    const audio = await base.upload(toWav(long), 'audio/wav');
    const result = await run('audio:clean_speech_local', { audio, format: 'wav' });
    assert.equal((result.segments as readonly unknown[]).length, 1, JSON.stringify(result.segments));
    const samples = readWav(bytesOf(result.audio));
    assert.ok(Math.abs(measureDb(samples, 30, 30.2) - measureDb(long, 30, 30.2)) < 4);
  });

  it('trims silence', async () => {
    const audio = await base.upload(toWav(recording), 'audio/wav');
    const result = await run('audio:clean_speech_local', { audio, format: 'wav', trimSilence: true });
    const segments = result.segments as readonly { readonly start: number; readonly end: number }[];
    const seconds = readWav(bytesOf(result.audio)).length / 48_000;
    const speech = segments.reduce((sum, { start, end }) => sum + end - start, 0);
    assert.ok(seconds >= speech && seconds < speech + 0.7, `${seconds} s of ${speech} s`);
  });

  it('writes m4a', async () => {
    const audio = await base.upload(toWav(recording.subarray(0, 192_000)), 'audio/wav');
    const result = await run('audio:clean_speech_local', { audio });
    assert.equal((result.audio as MediaRef).contentType, 'audio/mp4');
  });

  it('refuses a recording of three hours, and one without speech to trim', async () => {
    const threeHours = await base.upload(toWav(new Float32Array(3 * 3600 * 1000), 1000), 'audio/wav');
    await assert.rejects(run('audio:clean_speech_local', { audio: threeHours }), {
      code: 'too_long',
      message: 'The recording lasts 10800 s. The maximum is 600 s.',
    });
    const silence = await base.upload(toWav(new Float32Array(48_000)), 'audio/wav');
    await assert.rejects(run('audio:clean_speech_local', { audio: silence, trimSilence: true }), {
      code: 'no_speech',
    });
  });
});

describe('utility:vectorize', { skip }, () => {
  it('traces a drawing as few shapes', async () => {
    const drawing = await sharp(await drawCircle(960))
      .resize(240)
      .png()
      .toBuffer();
    const image = await base.upload(drawing, 'image/png');
    const svg = bytesOf((await run('utility:vectorize', { image })).image).toString();
    assert.match(svg, /^<svg /);
    assert.ok(svg.split('<path').length <= 3, svg.slice(0, 500));
    const circle = await sharp(await drawCircle(120))
      .resize(480)
      .flatten({ background: '#fff' })
      .removeAlpha()
      .png()
      .toBuffer();
    const drawn = await sharp(await rasterize(svg))
      .resize(480, 480)
      .flatten({ background: '#fff' })
      .removeAlpha()
      .png()
      .toBuffer();
    const similarity = await measureSimilarity(drawn, circle);
    assert.ok(similarity > 22, `${similarity} dB`);
  });

  it('traces a photo coarsely, so that it can be drawn', async () => {
    const noise = { type: 'gaussian', mean: 128, sigma: 60 } as const;
    const photo = await sharp({ create: { width: 700, height: 500, channels: 3, background: 'red', noise } })
      .png()
      .toBuffer();
    const { image } = await run('utility:vectorize', { image: await base.upload(photo, 'image/png') });
    assert.ok(bytesOf(image).length < 1_000_000);
  });
});

describe('utility:language', { skip }, () => {
  it('detects languages', async () => {
    const texts: Readonly<Record<string, string>> = {
      en: 'The weather is nice today, so we will go for a walk in the park.',
      de: 'Das Wetter ist heute schön, deshalb gehen wir im Park spazieren.',
      fr: 'Il fait beau aujourd’hui, alors nous allons nous promener dans le parc.',
      es: 'Hoy hace buen tiempo, así que vamos a dar un paseo por el parque.',
      ja: '今日は天気がいいので、公園を散歩します。',
      ru: 'Сегодня хорошая погода, поэтому мы пойдём гулять в парк.',
    };
    for (const [language, text] of Object.entries(texts)) {
      const result = await run('utility:language', { text });
      assert.equal(result.language, language);
      assert.ok(Number(result.confidence) > 0.3 && Number(result.confidence) <= 1);
    }
  });

  it('gives no language for a text without words', async () => {
    assert.deepEqual(await run('utility:language', { text: '12345 !!!' }), { language: '', confidence: 0 });
  });
});

describe('local nodes', { skip }, () => {
  const IMAGE_NODES = [
    'edit:upscale_local',
    'edit:cutout_person_local',
    'edit:blur_faces_local',
    'text:ocr_local',
    'utility:vectorize',
  ];

  it('refuse broken and huge images', async () => {
    const portrait = await openPortrait();
    const broken = await base.upload(portrait, 'image/png');
    const damaged = {
      ...ctx,
      media: {
        ...ctx.media,
        readRaster: async () => ({ bytes: portrait.subarray(0, 2000), contentType: 'image/png' }),
      },
    };
    const huge = await sharp({ create: { width: 10_000, height: 10_000, channels: 3, background: 'white' } })
      .png()
      .toBuffer();
    const large = {
      ...ctx,
      media: { ...ctx.media, readRaster: async () => ({ bytes: huge, contentType: 'image/png' }) },
    };
    for (const nodeType of IMAGE_NODES) {
      await assert.rejects(
        runNode(nodeType, { image: broken }, damaged),
        { code: 'unreadable_image' },
        nodeType,
      );
      await assert.rejects(runNode(nodeType, { image: broken }, large), {
        code: 'unreadable_image',
        message: /10000 × 10000 pixels. The limit here is [\d.]+ megapixels/,
      });
    }
  });

  it('process an image of one pixel', async () => {
    const image = await base.upload(await plainImage(1, 1, '#ff0000'), 'image/png');
    for (const nodeType of IMAGE_NODES) await run(nodeType, { image });
  });

  it('stop when the run is cancelled', async () => {
    const abort = new AbortController();
    const image = await base.upload(
      await sharp(await openPortrait())
        .resize(800)
        .png()
        .toBuffer(),
      'image/png',
    );
    const context = { ...ctx, signal: abort.signal, progress: () => abort.abort('cancelled') };
    await assert.rejects(
      runNode('edit:upscale_local', { image, scale: 4 }, context),
      thrown => thrown === 'cancelled',
    );
  });
});

/** Draws an SVG without text. */
async function rasterize(svg: string): Promise<Buffer> {
  const { rasterizeSvg } = await import('../../src/media/svg/rasterize.ts');
  return rasterizeSvg(Buffer.from(svg), AbortSignal.timeout(20_000));
}
