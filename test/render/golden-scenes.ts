// Small scenes whose frames are compared with the pictures in golden/.
const pair = (transition: object) => ({
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

const one = (elements: readonly object[], rest: object = {}) => ({
  fps: 10,
  width: 160,
  height: 90,
  background: '#101828',
  scenes: [{ duration: 2, elements }],
  ...rest,
});

/** Name → graph and frame. */
export const GOLDEN_SCENES: Readonly<Record<string, { readonly graph: object; readonly frame: number }>> = {
  'text-runs': {
    frame: 10,
    graph: one([
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
    graph: one([{ type: 'text', text: 'مرحبا שלום नमस्ते 你好 🚀', fontSize: 18, width: '96%' }]),
  },
  'text-plates': {
    frame: 0,
    graph: one([
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
    graph: one([
      { type: 'text', text: 'Letters', fontSize: 32, split: { by: 'letter', preset: 'rise', stagger: 0.1 } },
    ]),
  },
  'text-stroke': {
    frame: 0,
    graph: one([
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
    graph: one(
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
    graph: one([
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
    graph: one([
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
    graph: one([
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
  captions: {
    frame: 4,
    graph: one([], {
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
    ].map(type => [`transition-${type}`, { frame: 14, graph: pair({ type, easing: 'linear' }) }]),
  ),
};
