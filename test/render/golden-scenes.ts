// Defines small scenes whose frames are compared with the images in golden/.
import { sampleAnimation } from '../support/render/lottie.ts';

const createTransition = (transition: object) => ({
  fps: 10,
  width: 160,
  height: 90,
  scenes: [
    {
      duration: 2,
      background: {
        type: 'linear',
        angle: 90,
        stops: [
          { offset: 0, color: '#0f172a' },
          { offset: 1, color: '#7c3aed' },
        ],
      },
      elements: [{ type: 'text', text: 'Before', fontSize: 36, fontWeight: 800 }],
    },
    {
      duration: 2,
      background: '#f59e0b',
      transition: { duration: 1, ...transition },
      elements: [{ type: 'text', text: 'After', fontSize: 36, fontWeight: 800, color: '#1c1917' }],
    },
  ],
});

const createSingleScene = (elements: readonly object[], rest: object = {}) => ({
  fps: 10,
  width: 160,
  height: 90,
  background: '#101828',
  scenes: [{ duration: 2, elements }],
  ...rest,
});

const STOPS = [
  { offset: 0, color: '#f43f5e' },
  { offset: 0.5, color: '#facc15' },
  { offset: 1, color: '#0ea5e9' },
];

/** Places six elements in two rows of three. */
const createGridOfSix = (elements: readonly object[], size = 36) =>
  createSingleScene(
    elements.map((element, index) => ({
      x: 28 + (index % 3) * 52,
      y: index < 3 ? 24 : 66,
      width: size,
      height: size,
      ...element,
    })),
  );

const BLOCK_PROPS: Readonly<Record<string, object>> = {
  title: { kicker: 'Chapter one', title: 'The harbour', subtitle: 'A morning in June' },
  picture: { caption: 'Low tide' },
  stat: { value: 96, suffix: '%', label: 'would come again' },
  list: { title: 'Bring along', items: ['Water', 'A hat', 'Good shoes'] },
  'call-to-action': { title: 'See it for yourself', action: 'Book now' },
};

const ENTRANCES = ['slide-up', 'zoom-in', 'pop', 'rise', 'wipe-right', 'iris'];
const PEAKS = Array.from({ length: 200 }, (_, index) => Math.abs(Math.sin(index / 9) * Math.cos(index / 31)));

/** Graph and frame by name. */
export const GOLDEN_SCENES: Readonly<
  Record<string, { readonly graph: object; readonly frame: number; readonly warnings?: readonly string[] }>
> = {
  'text-runs': {
    frame: 10,
    graph: createSingleScene([
      {
        type: 'text',
        runs: [
          { text: 'Plain, ' },
          { text: 'bold', fontWeight: 900, color: '#fbbf24' },
          { text: ' and wrapped', italic: true },
        ],
        fontSize: 20,
        width: '90%',
      },
    ]),
  },
  'text-scripts': {
    frame: 0,
    graph: createSingleScene([{ type: 'text', text: 'مرحبا שלום नमस्ते 你好 🚀', fontSize: 18, width: '96%' }]),
  },
  'text-plates': {
    frame: 0,
    warnings: [
      '/scenes/0/elements/0 has more text than fits its box at the smallest size, so the rest is cut off.',
    ],
    graph: createSingleScene([
      {
        type: 'text',
        text: 'Lines on plates that are cut off at the end',
        fontSize: 15,
        width: '70%',
        maxLines: 2,
        fit: 'none',
        textBackground: { color: '#e11d48' },
      },
    ]),
  },
  'text-split': {
    frame: 4,
    graph: createSingleScene([
      { type: 'text', text: 'Letters', fontSize: 32, split: { by: 'letter', preset: 'rise', stagger: 0.1 } },
    ]),
  },
  'text-stroke': {
    frame: 0,
    graph: createSingleScene([
      {
        type: 'text',
        text: 'Outline',
        fontFamily: 'Anton',
        fontSize: 40,
        stroke: { color: '#000', width: 3 },
        textShadow: {},
      },
    ]),
  },
  shapes: {
    frame: 0,
    graph: createSingleScene(
      ['circle', 'star', 'heart', 'ring', 'polygon', 'arrow'].map((shape, index) => ({
        type: 'shape',
        shape,
        x: 26 + (index % 3) * 54,
        y: index < 3 ? 24 : 66,
        width: 36,
        height: 36,
        fill: {
          type: 'conic',
          stops: [
            { offset: 0, color: '#f43f5e' },
            { offset: 1, color: '#3b82f6' },
          ],
        },
      })),
    ),
  },
  'mask-and-filter': {
    frame: 0,
    graph: createSingleScene([
      {
        type: 'image',
        src: 'sample:sea',
        x: '28%',
        width: 70,
        height: 70,
        mask: { element: { type: 'shape', shape: 'star' } },
        shadow: { color: '#000' },
      },
      {
        type: 'image',
        src: 'sample:sea',
        x: '75%',
        width: 60,
        height: 60,
        radius: 14,
        filters: [
          { type: 'grayscale', amount: 1 },
          { type: 'blur', amount: 1 },
        ],
        border: { width: 3, color: '#fff' },
      },
    ]),
  },
  'group-and-blend': {
    frame: 8,
    graph: createSingleScene([
      {
        type: 'group',
        rotation: 12,
        opacity: 0.6,
        elements: [
          { type: 'shape', shape: 'rectangle', width: 70, height: 40, fill: '#22d3ee', x: '40%' },
          {
            type: 'shape',
            shape: 'rectangle',
            width: 70,
            height: 40,
            fill: '#f43f5e',
            x: '60%',
            blend: 'screen',
          },
        ],
      },
      { type: 'progress', form: 'ring', x: '88%', y: '78%', width: 24, height: 24 },
    ]),
  },
  'clips-and-keyframes': {
    frame: 5,
    graph: createSingleScene([
      {
        type: 'shape',
        shape: 'rectangle',
        fill: '#a3e635',
        width: 60,
        height: 60,
        x: {
          keyframes: [
            { time: 0, value: 20 },
            { time: 1, value: 140, easing: { spring: {} } },
          ],
        },
        clip: 'circle',
      },
      { type: 'counter', to: 1500, y: '85%', fontSize: 18 },
    ]),
  },
  ...Object.fromEntries(
    [
      { type: 'linear', angle: 30 },
      { type: 'radial', center: [0.3, 0.4], radius: 0.8 },
      { type: 'conic', center: [0.5, 0.5], angle: 45 },
    ].map(fill => [
      `background-${fill.type}`,
      { frame: 0, graph: createSingleScene([], { background: { ...fill, stops: STOPS } }) },
    ]),
  ),
  'background-image': {
    frame: 5,
    graph: createSingleScene([], {
      background: { type: 'image', src: 'sample:hills', blur: 4, dim: 0.3, zoom: 1.4 },
    }),
  },
  'image-fits': {
    frame: 0,
    graph: createGridOfSix(
      ['cover', 'contain', 'fill', 'contain-blur', 'cover', 'cover'].map((fit, index) => ({
        type: 'image',
        src: 'sample:hills',
        fit,
        width: 44,
        height: 30,
        ...(index === 4 ? { focus: [0, 1], crop: [0.5, 0.2, 0.4, 0.6] } : {}),
        ...(index === 5 ? { flip: 'x', rotation: 12, border: { width: 2, color: '#ffffff' } } : {}),
      })),
    ),
  },
  'ken-burns': {
    frame: 15,
    graph: createSingleScene([
      {
        type: 'image',
        src: 'sample:hills',
        motion: { kenBurns: { from: 1, to: 2, focus: [0.2, 0.2], pan: 'left' } },
      },
    ]),
  },
  'svg-and-path': {
    frame: 6,
    graph: createSingleScene([
      {
        type: 'svg',
        markup:
          '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 24 24"><path d="M12 2 2 22h20z" fill="#22d3ee"/></svg>',
        x: '25%',
        width: 60,
        height: 60,
      },
      {
        type: 'path',
        path: 'M2 12 C6 2 18 22 22 12',
        viewBox: [0, 0, 24, 24],
        x: '72%',
        width: 64,
        height: 64,
        stroke: '#fbbf24',
        strokeWidth: 2,
        cap: 'round',
      },
    ]),
  },
  waveforms: {
    frame: 8,
    graph: createSingleScene(
      ['bars', 'mirror', 'line', 'dots'].map((form, index) => ({
        type: 'waveform',
        peaks: PEAKS,
        form,
        bars: 24,
        color: '#a78bfa',
        x: index % 2 === 0 ? '27%' : '73%',
        y: index < 2 ? '27%' : '73%',
        width: 66,
        height: 34,
      })),
    ),
  },
  'motion-in': {
    frame: 2,
    graph: createGridOfSix(
      ENTRANCES.map(preset => ({
        type: 'shape',
        shape: 'rectangle',
        fill: '#34d399',
        radius: 6,
        motion: { in: { preset, duration: 0.8 } },
      })),
    ),
  },
  'motion-out': {
    frame: 16,
    graph: createGridOfSix(
      ENTRANCES.map(preset => ({
        type: 'shape',
        shape: 'star',
        fill: '#fb7185',
        motion: { out: { preset, duration: 0.8 } },
      })),
    ),
  },
  'motion-loop': {
    frame: 7,
    graph: createGridOfSix(
      ['pulse', 'float', 'sway', 'spin', 'shake', 'breathe'].map(preset => ({
        type: 'shape',
        shape: 'arrow',
        fill: '#60a5fa',
        motion: { loop: { preset, period: 2 } },
      })),
      28,
    ),
  },
  'tracks-and-overlays': {
    frame: 12,
    graph: createSingleScene([{ type: 'text', text: 'Scene', fontSize: 24, y: '30%' }], {
      tracks: [
        {
          elements: [{ type: 'shape', shape: 'circle', x: '20%', y: '70%', width: 30, height: 30, start: 1 }],
        },
        {
          opacity: 0.5,
          elements: [{ type: 'shape', shape: 'rectangle', x: '50%', y: '70%', width: 40, height: 30 }],
        },
      ],
      overlays: [{ type: 'text', text: 'LIVE', fontSize: 12, x: '88%', y: '12%', color: '#f87171' }],
    }),
  },
  ...Object.fromEntries(
    Object.entries(BLOCK_PROPS).map(([id, props]) => [
      `block-${id}`,
      { frame: 40, graph: { fps: 20, width: 160, height: 90, scenes: [{ blockId: id, props }] } },
    ]),
  ),
  captions: {
    frame: 4,
    graph: createSingleScene([], {
      captionTrack: {
        mode: 'karaoke',
        words: [
          { text: 'Say', start: 0, end: 0.3 },
          { text: 'this', start: 0.3, end: 0.9 },
        ],
        active: { background: '#7c3aed', color: '#fff' },
        style: { fontSize: 22 },
      },
    }),
  },
  lottie: {
    frame: 9,
    graph: createSingleScene([
      { type: 'lottie', data: sampleAnimation(), rotation: -8, shadow: { blur: 6, y: 4 } },
    ]),
  },
  ...Object.fromEntries(
    [
      'fade',
      'slide',
      'push',
      'cover',
      'reveal',
      'wipe',
      'split',
      'blinds',
      'zoom',
      'iris',
      'clock-wipe',
      'blur',
      'dip',
      'flip',
      'spin',
    ].map(type => [`transition-${type}`, { frame: 14, graph: createTransition({ type, easing: 'linear' }) }]),
  ),
};
