// Tests that random and hostile graphs are drawn, and that elements that cannot be drawn are reported.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { loadResources } from '../../src/render/paint/resources.ts';
import { isNear, readPixels } from '../support/media/pixels.ts';
import { drawGraph } from '../support/render/drawing.ts';
import { randomScene } from '../support/render/random-scene.ts';
import { isNightly } from '../support/tier.ts';

const RANDOM_SCENES = isNightly ? 60 : 6;

const createScene = (elements: readonly object[], rest: object = {}) => ({
  fps: 10,
  width: 100,
  height: 60,
  background: '#000000',
  scenes: [{ duration: 2, elements }],
  ...rest,
});

/** Returns an SVG, which is rasterized at 4 megapixels. */
const square = (fill: string): string =>
  `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 2 2"><rect width="2" height="2" fill="${fill}"/></svg>`;

async function drawPixels(graph: object, frame = 0, scale = 1) {
  const { frames } = await drawGraph(graph, [frame], scale);
  return readPixels(frames[0]?.bytes ?? new Uint8Array());
}

describe('drawGraph with a random graph', () => {
  it('draws all frames and starts each warning with a pointer', async () => {
    for (let seed = 1000; seed < 1000 + RANDOM_SCENES; seed++) {
      const { frames, warnings } = await drawGraph(randomScene(seed), [0, 3]);
      assert.equal(frames.length, 2, `seed ${seed}`);
      for (const warning of warnings) assert.match(warning, /^\/\S+ .+\.$/s, `seed ${seed}`);
    }
  });
});

describe('drawGraph', () => {
  it('draws frames in the size of the graph times the scale', async () => {
    const { width, height } = await drawPixels(createScene([]), 0, 0.5);
    assert.deepEqual([width, height], [50, 30]);
  });

  it('draws a shape in its color', async () => {
    const pixels = await drawPixels(
      createScene([
        { type: 'shape', shape: 'rectangle', x: 0, anchor: 'left', width: '50%', fill: '#ff8000' },
      ]),
    );
    assert.ok(isNear(pixels.at(25, 30), [255, 128, 0, 255]));
    assert.ok(isNear(pixels.at(75, 30), [0, 0, 0, 255]));
  });

  it('fades a group as a whole', async () => {
    const white = { type: 'shape', shape: 'rectangle', fill: '#ffffff' };
    const pixels = await drawPixels(createScene([{ type: 'group', opacity: 0.5, elements: [white, white] }]));
    assert.ok(isNear(pixels.at(50, 30), [128, 128, 128, 255]));
  });

  it('shows the part of a masked element that the mask covers', async () => {
    const mask = { element: { type: 'shape', shape: 'rectangle', x: 0, anchor: 'left', width: '50%' } };
    const red = { type: 'shape', shape: 'rectangle', fill: '#ff0000' };
    const [masked, inverted] = [
      await drawPixels(createScene([{ ...red, mask }])),
      await drawPixels(createScene([{ ...red, mask: { ...mask, invert: true } }])),
    ];
    assert.ok(isNear(masked.at(20, 30), [255, 0, 0]) && isNear(masked.at(80, 30), [0, 0, 0]));
    assert.ok(isNear(inverted.at(20, 30), [0, 0, 0]) && isNear(inverted.at(80, 30), [255, 0, 0]));
  });

  it('keeps the edges of a blurred background opaque', async () => {
    const graph = createScene([], {
      background: {
        type: 'image',
        src: `data:image/svg+xml,${square('white')}`,
        blur: 10,
      },
    });
    const pixels = await drawPixels(graph);
    assert.ok(isNear(pixels.at(0, 0), [255, 255, 255], 12), String(pixels.at(0, 0)));
  });

  it('has fonts for the scripts of most people, and reports characters without one', async () => {
    const drawn =
      'Ωά Ж Ệ مرحبا שלום नमस्ते สวัสดี নমস্কার வணக்கம் హలో નમસ્તે ਸਤ ನಮಸ್ಕಾರ നമസ്കാരം ආයුබෝවන් សួស្តី မင်္ဂလာပါ ሰላም ສະບາຍດີ გამარჯობა Բարեւ ନମସ୍କାର 你好 こんにちは 안녕 👍🏽🇩🇪 ✓';
    const families = ['Inter', 'Playfair Display', 'Anton', 'JetBrains Mono'];
    const elements = families.map(fontFamily => ({ type: 'text', text: drawn, fontFamily, fontSize: 4 }));
    const warn = async (text: string) =>
      (await drawGraph(createScene([...elements, { type: 'text', text, fontSize: 4 }]), [0])).warnings;
    assert.deepEqual(await warn('a'), []);
    assert.deepEqual(await warn('བོད་ a \u{10300}'), [
      '/scenes/0/elements/4 has characters for which there is no font, so they are drawn as boxes: Tibetan, \u{10300} (U+10300).',
    ]);
  });

  it('reports elements that cannot be drawn by pointer', async () => {
    const { warnings } = await drawGraph(
      createScene([
        { type: 'video', src: 'https://example.com/a.mp4' },
        { type: 'image', src: 'https://example.com/a.png' },
        { type: 'waveform' },
        { type: 'lottie', data: { no: 'animation' } },
      ]),
      [0],
    );
    assert.deepEqual(
      warnings.map(warning => warning.split(' ')[0]),
      [0, 1, 2, 3].map(index => `/scenes/0/elements/${index}`),
    );
  });
});

describe('drawGraph with a hostile graph', () => {
  it('limits the surfaces for nested, blended groups', async () => {
    let group: object = { type: 'shape', shape: 'rectangle', fill: '#00ff00' };
    for (let level = 0; level < 10; level++)
      group = { type: 'group', opacity: 0.99, shadow: {}, elements: [group] };
    const { warnings } = await drawGraph({ ...createScene([group]), width: 3000, height: 3000 }, [0], 1);
    assert.ok(warnings.some(warning => warning.includes('too many blended groups')));
  });

  it('limits the total size of images', async () => {
    const file = { kind: 'svg', bytes: Buffer.from(square('white')) } as const;
    // The images are equal, so that the first is decoded and the others are cached.
    const files = new Map(Array.from({ length: 40 }, (_, index) => [String(index), file]));
    const loaded = [...(await loadResources(files)).values()];
    const images = loaded.filter(({ kind }) => kind === 'image');
    assert.equal(images.length, 31, 'the images that do not exceed 128 megapixels, and one more');
    for (const resource of loaded.slice(images.length))
      assert.match(resource.kind === 'absent' ? resource.reason : '', /megapixels/);
  });
});
