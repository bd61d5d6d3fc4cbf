// Tests Lottie animations: exact frames, no access to the machine or the network, and limits for hostile files.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { sanitizeLottie } from '../../src/render/lottie.ts';
import { isNear, plainImage, readPixels } from '../support/media/pixels.ts';
import { drawGraph } from '../support/render/drawing.ts';
import {
  animation,
  composition,
  fill,
  group,
  holding,
  image,
  line,
  moving,
  rectangle,
  shapes,
  still,
  stroke,
  words,
} from '../support/render/lottie.ts';

const [RED, GREEN, WHITE, BLACK] = [
  [255, 0, 0],
  [0, 255, 0],
  [255, 255, 255],
  [0, 0, 0],
];
const red = fill([1, 0, 0]);

const createScene = (data: object, properties: object = {}) => ({
  fps: 30,
  width: 100,
  height: 100,
  scenes: [{ duration: 6, elements: [{ type: 'lottie', data, ...properties }] }],
});

async function drawFrames(data: object, frames: readonly number[], properties: object = {}) {
  const drawnGraph = await drawGraph(createScene(data, properties), frames);
  return {
    ...drawnGraph,
    pixels: await Promise.all(drawnGraph.frames.map(({ bytes }) => readPixels(bytes))),
  };
}

async function drawFrame(data: object, properties: object = {}) {
  const { pixels, warnings } = await drawFrames(data, [0], properties);
  assert.ok(pixels[0] !== undefined);
  return { at: pixels[0].at, warnings };
}

const clean = (value: unknown) =>
  sanitizeLottie(JSON.stringify(value), async () => 'data:image/png;base64,new');

describe('a Lottie animation', () => {
  it('is drawn with shapes, masks, trimmed paths and nested compositions', async () => {
    const square = {
      c: true,
      v: [
        [0, 0],
        [50, 0],
        [50, 100],
        [0, 100],
      ],
      i: [0, 1, 2, 3].map(() => [0, 0]),
      o: [0, 1, 2, 3].map(() => [0, 0]),
    };
    const mask = { mode: 'a', inv: false, pt: still(square), o: still(100), x: still(0) };
    const maskedLayer = shapes([group(rectangle([50, 20], [100, 20]), red)], {
      hasMask: true,
      masksProperties: [mask],
    });
    const trim = { ty: 'tm', s: still(0), e: moving([0, 0], [30, 100]), o: still(0), m: 1 };
    const trimmedLayer = shapes([group(line([0, 60], [100, 60]), trim, stroke([0, 1, 0], 10))]);
    const innerAsset = {
      id: 'inner',
      layers: [shapes([group(rectangle([50, 90], [100, 20]), fill([1, 1, 1]))])],
    };
    const data = animation([maskedLayer, trimmedLayer, composition('inner')], { assets: [innerAsset] });
    const { pixels, warnings } = await drawFrames(data, [15]);
    assert.deepEqual(warnings, []);
    const getPixel = pixels[0]?.at ?? (() => []);
    assert.ok(isNear(getPixel(25, 20), RED) && isNear(getPixel(75, 20), BLACK));
    assert.ok(isNear(getPixel(40, 60), GREEN) && isNear(getPixel(60, 60), BLACK));
    assert.ok(isNear(getPixel(50, 90), WHITE));
  });

  it('shows the right frame for its rate, speed and end', async () => {
    // Each frame shows a bar of two pixels at another position.
    const keys = Array.from({ length: 40 }, (_, frame): [number, number[]] => [
      frame,
      [2 * frame + 1, 50, 0],
    ]);
    const data = (fr: number) =>
      animation([shapes([group(rectangle([0, 0], [2, 100]), red)], {}, { p: holding(...keys) })], {
        fr,
        op: 40,
      });
    const listShownFrames = async (fr: number, frames: readonly number[], properties: object = {}) =>
      (await drawFrames(data(fr), frames, properties)).pixels.map(({ at }) =>
        Array.from({ length: 50 }, (_, column) => column).find(column => isNear(at(2 * column, 50), RED, 60)),
      );
    assert.deepEqual(await listShownFrames(30, [0, 1, 7, 29, 39, 40, 41]), [0, 1, 7, 29, 39, 0, 1]);
    assert.deepEqual(await listShownFrames(60, [0, 1, 2, 19], { loop: false }), [0, 2, 4, 38]);
    assert.deepEqual(await listShownFrames(24, [0, 1, 5, 30]), [0, 0, 4, 24]);
    assert.deepEqual(await listShownFrames(30, [3, 60], { speed: 2, loop: false }), [6, 39]);
  });

  it('fits its box and fades as a whole', async () => {
    const data = animation([shapes([group(rectangle([50, 50], [100, 100]), red)])]);
    const half = { width: 50, height: 100, x: 0, anchor: 'left' };
    const containedFrame = await drawFrame(data, half);
    assert.ok(isNear(containedFrame.at(25, 50), RED) && isNear(containedFrame.at(25, 10), BLACK));
    const filled = await drawFrame(data, { ...half, fit: 'fill', opacity: 0.5 });
    assert.ok(isNear(filled.at(25, 5), [128, 0, 0]) && isNear(filled.at(60, 50), BLACK));
    const rotatedFrame = await drawFrame(data, {
      width: 40,
      height: 40,
      x: 70,
      y: 70,
      rotation: 45,
      radius: 20,
    });
    assert.ok(isNear(rotatedFrame.at(70, 70), RED) && isNear(rotatedFrame.at(70, 88), RED));
    assert.ok(isNear(rotatedFrame.at(55, 55), BLACK) && isNear(rotatedFrame.at(20, 20), BLACK));
  });

  it('uses a bundled font and reports text that the font cannot show', async () => {
    const fonts = { list: [{ fName: 'F', fFamily: 'Arial', fStyle: 'Bold', ascent: 75 }] };
    const { json } = await clean(animation([words('Word', 'F', 40, [0, 60])], { fonts }));
    const [font] = JSON.parse(json).fonts.list;
    assert.match(font.fPath, /^data:font\/woff2;base64,/);
    const { at, warnings } = await drawFrame(animation([words('IIII', 'F', 90, [0, 80])], { fonts }));
    assert.deepEqual(warnings, []);
    assert.ok(Array.from({ length: 100 }, (_, x) => at(x, 50)).some(pixel => isNear(pixel, WHITE)));
    const cyrillic = await drawFrame(animation([words('слово', 'F', 40, [0, 60])], { fonts }));
    assert.match(
      cyrillic.warnings[0] ?? '',
      /^\/scenes\/0\/elements\/0 has text in a script other than Latin/,
    );
  });

  it('shows embedded images and loads no external files', async () => {
    const dataUrl = `data:image/png;base64,${(await plainImage(100, 100, '#00ff00')).toString('base64')}`;
    const asset = { id: 'p', w: 100, h: 100, u: '', p: dataUrl, e: 1 };
    const embedded = await drawFrame(animation([image('p')], { assets: [asset] }));
    assert.ok(isNear(embedded.at(50, 50), GREEN), String(embedded.at(50, 50)));
    assert.deepEqual(embedded.warnings, []);
    for (const [u, p] of [
      ['http://127.0.0.1:9/', 'x.png'],
      ['/etc/', 'passwd'],
      ['', 'file:///etc/passwd'],
    ]) {
      const { at, warnings } = await drawFrame(
        animation([image('p')], { assets: [{ ...asset, u, p, e: 0 }] }),
      );
      assert.ok(isNear(at(50, 50), BLACK));
      assert.match(
        warnings[0] ?? '',
        /^\/scenes\/0\/elements\/0 refers to external files, which are not loaded/,
      );
      const { json } = await clean(animation([], { assets: [{ ...asset, u, p }] }));
      assert.doesNotMatch(json, /127|etc/);
    }
  });
});

describe('a hostile Lottie animation', () => {
  const createNestedCompositions = (levels: number, each: number): object => {
    const assets = Array.from({ length: levels }, (_, level) => ({
      id: `c${level}`,
      layers:
        level === levels - 1
          ? [shapes([group(rectangle([0, 0], [1, 1]), red)])]
          : Array.from({ length: each }, () => composition(`c${level + 1}`)),
    }));
    return animation([composition('c0')], { assets });
  };
  const createNestedGroups = (levels: number): object => {
    let inner: object = rectangle([0, 0], [1, 1]);
    for (let level = 0; level < levels; level++) inner = group(inner);
    return animation([shapes([inner])]);
  };
  const createRepeaters = (copies: unknown): object => {
    const repeater = { ty: 'rp', c: copies, o: still(0), m: 1, tr: {} };
    return animation([shapes([group(group(rectangle([0, 0], [1, 1]), red, repeater), repeater)])]);
  };

  const REFUSED: Readonly<Record<string, readonly [unknown, RegExp]>> = {
    'that is not an object': [[], /is not a JSON object/],
    'without a size': [animation([], { w: 0 }), /1 to 8192 pixels/],
    'of infinite height': [animation([], { h: 1e9 }), /1 to 8192 pixels/],
    'that never ends': [animation([], { op: 1e12 }), /up to 1000000 frames/],
    'with too many frames a second': [animation([], { fr: 1e6 }), /up to 240 frames a second/],
    'of groups within groups': [createNestedGroups(60), /nested over 96 levels deep/],
    'of compositions that multiply': [createNestedCompositions(12, 10), /draws over 20000 shapes/],
    'of compositions within one another': [
      createNestedCompositions(40, 1),
      /24 compositions within one another/,
    ],
    'of repeaters in repeaters': [createRepeaters(still(1000)), /draws over 20000 shapes/],
    'of repeaters that grow': [createRepeaters(moving([0, 1], [30, 1e6])), /draws over 20000 shapes/],
    'of too many layers': [animation(Array.from({ length: 2001 }, () => shapes([]))), /over 2000 layers/],
    'of a star with a billion points': [
      animation([shapes([group({ ty: 'sr', sy: 1, pt: still(1e9) })])]),
      /draws over 20000 shapes/,
    ],
  };
  for (const [name, [value, reason]] of Object.entries(REFUSED))
    it(`is refused with the reason (${name})`, () => assert.rejects(clean(value), reason));

  it('is refused for chained compositions in reverse order', async () => {
    const assets = Array.from({ length: 100 }, (_, level) => ({
      id: `c${level}`,
      layers: [composition(`c${level + 1}`)],
    }));
    const layers = Array.from({ length: 100 }, (_, level) => composition(`c${99 - level}`));
    await assert.rejects(clean(animation(layers, { assets })), /24 compositions within one another/);
  });

  it('is refused if it is too large or invalid JSON', async () => {
    await assert.rejects(
      sanitizeLottie(' '.repeat(9_000_000), async url => url),
      /over 8388608 characters/,
    );
    await assert.rejects(
      sanitizeLottie('{"v":', async url => url),
      /is not a JSON object/,
    );
    await assert.rejects(
      sanitizeLottie('['.repeat(1_000_000), async url => url),
      /is not a JSON object/,
    );
  });

  it('is drawn without scripts and without compositions that contain themselves', async () => {
    const selfReference = {
      id: 'self',
      layers: [composition('self'), shapes([group(rectangle([50, 50], [100, 100]), red)])],
    };
    const endlessExpression = { ...still(0), x: 'while (true) {}' };
    const data = animation(
      [
        shapes([group(rectangle([50, 50], [100, 100]), red)], {}, { r: endlessExpression }),
        composition('self'),
      ],
      { assets: [selfReference] },
    );
    const { at, warnings } = await drawFrame(data);
    assert.ok(isNear(at(50, 50), RED));
    assert.deepEqual(warnings, []);
  });

  it('is reported by the pointer of its element', async () => {
    const { warnings } = await drawFrame(createNestedCompositions(12, 10));
    assert.match(
      warnings[0] ?? '',
      /^\/scenes\/0\/elements\/0 cannot be read: the animation draws over 20000 shapes\.$/,
    );
  });
});
