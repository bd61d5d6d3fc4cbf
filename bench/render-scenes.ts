// Defines the scenes of the comparison with Remotion as scene graphs. bench/remotion has the same scenes in React.

export const [FPS, WIDTH, HEIGHT] = [30, 1920, 1080];

export const TITLE = 'Fourteen teams shipped their first film within a week';
export const BODY =
  'Every frame is drawn on the processor, from plain data, so that a person waits for a video as for a picture and never for a queue.';

const shadow = { color: '#000000a0', blur: 12, y: 4 };

const texts = [
  {
    type: 'text',
    text: TITLE,
    x: 1340,
    y: 330,
    width: 900,
    align: 'left',
    fontSize: 84,
    fontWeight: 800,
    lineHeight: 1.1,
    color: '#ffffff',
    textShadow: shadow,
  },
  {
    type: 'text',
    text: BODY,
    x: 1340,
    y: 720,
    width: 900,
    align: 'left',
    fontSize: 44,
    fontWeight: 400,
    lineHeight: 1.35,
    color: '#e8ecf4',
    textShadow: shadow,
  },
];

const createPicture = (
  rotation: readonly [number, number],
  scale: readonly [number, number],
  seconds: number,
) => ({
  type: 'image',
  asset: 'photo',
  x: 480,
  y: 540,
  width: 1000,
  height: 700,
  rotation: ramp(rotation, seconds),
  scale: ramp(scale, seconds),
});

const ramp = ([from, to]: readonly [number, number], seconds: number) => ({
  keyframes: [
    { time: 0, value: from },
    { time: seconds, value: to, easing: 'linear' },
  ],
});

const card = {
  type: 'shape',
  shape: 'rectangle',
  x: 1340,
  y: 540,
  width: 1000,
  height: 860,
  radius: 40,
  fill: '#10182acc',
};

/** Creates 10 s of motion at 1080p30 ("scene S" in the figures): two scenes with a fade of one second between them. */
export const createMovingScene = (photo: string) => ({
  fps: FPS,
  width: WIDTH,
  height: HEIGHT,
  assets: { photo: { type: 'image', src: photo } },
  scenes: [
    {
      duration: 5.5,
      elements: [
        {
          // Twice as wide as the frame, so that the gradient moves with every frame.
          type: 'shape',
          shape: 'rectangle',
          x: ramp([1920, 0], 5.5),
          y: 540,
          width: 3840,
          height: 1080,
          fill: {
            type: 'linear',
            angle: 90,
            stops: [
              { offset: 0, color: '#0b1f4b' },
              { offset: 0.5, color: '#7a2d8f' },
              { offset: 1, color: '#f2784b' },
            ],
          },
        },
        createPicture([-6, 6], [0.8, 0.95], 5.5),
        card,
        ...texts,
      ],
    },
    {
      duration: 5.5,
      background: '#123a3a',
      transition: { type: 'fade', duration: 1, easing: 'linear' },
      elements: [createPicture([6, -4], [0.95, 0.8], 5.5), card, ...texts],
    },
  ],
});

const WORDS = `${TITLE} ${BODY}`.split(' ');

/** Creates a scene in which only a caption moves: its word changes every ten frames. */
export const createCaptionScene = (photo: string) => ({
  fps: FPS,
  width: WIDTH,
  height: HEIGHT,
  assets: { photo: { type: 'image', src: photo } },
  durationInFrames: 300,
  scenes: [
    {
      duration: 10,
      background: {
        type: 'linear',
        angle: 120,
        stops: [
          { offset: 0, color: '#0b1f4b' },
          { offset: 1, color: '#7a2d8f' },
        ],
      },
      elements: [
        { ...createPicture([-6, -6], [0.8, 0.8], 10), rotation: -6, scale: 0.8 },
        card,
        ...texts,
        ...Array.from({ length: 30 }, (_, index) => ({
          type: 'text',
          text: WORDS[index % WORDS.length],
          start: `${index * 10}f`,
          duration: '10f',
          x: 960,
          y: 1010,
          width: 1600,
          align: 'center',
          fontSize: 72,
          fontWeight: 800,
          color: '#ffe45c',
          textShadow: shadow,
        })),
      ],
    },
  ],
});
