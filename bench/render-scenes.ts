// The scenes that the renderer is measured by: the moving one that research used, and a still one under captions.
import sharp from 'sharp';

const FPS = 30;
const SIZE = { fps: FPS, width: 1920, height: 1080 } as const;

/** A picture of 1000 × 700 as a camera might have made it: soft shapes with a little grain. */
export function photograph(width = 1000, height = 700): Promise<Buffer> {
  const pixels = Buffer.alloc(width * height * 3);
  let state = 7;
  for (let at = 0; at < width * height; at++) {
    const [x, y] = [(at % width) / width, Math.floor(at / width) / height];
    state = (Math.imul(state, 1_103_515_245) + 12_345) >>> 0;
    const grain = ((state >>> 24) - 128) / 24;
    const light = Math.sin(x * 9 + Math.sin(y * 7)) * 34 + Math.cos(y * 11 - x * 4) * 26;
    pixels[at * 3] = bound(150 + light + grain);
    pixels[at * 3 + 1] = bound(110 + light * 0.7 + y * 50 + grain);
    pixels[at * 3 + 2] = bound(90 + y * 110 - light * 0.4 + grain);
  }
  return sharp(pixels, { raw: { width, height, channels: 3 } })
    .jpeg({ quality: 88 })
    .toBuffer();
}

const bound = (value: number): number => Math.min(255, Math.max(0, Math.round(value)));

export const dataUrl = (jpeg: Buffer): string => `data:image/jpeg;base64,${jpeg.toString('base64')}`;

export const WORDS = {
  title: 'Everything that moves is drawn anew in every single frame',
  body: 'Two wrapped blocks of text with a blurred shadow stand over a picture that turns and grows.',
  second: 'And then another scene',
  secondBody: 'comes in by a slow cross-fade, over a background of one colour.',
} as const;

const shadow = { color: '#000000b0', blur: 12, x: 0, y: 4 };

/** Scene S of 10 s: a turning gradient, a picture that turns and grows, a card, two texts, a cross-fade of 1 s. */
export function movingScene(jpeg: Buffer): object {
  const over = (from: number, to: number): object => ({
    keyframes: [
      { time: 0, value: from },
      { time: '100%', value: to, easing: 'linear' },
    ],
  });
  const texts = (title: string, body: string): readonly object[] => [
    {
      type: 'text',
      text: title,
      x: '70%',
      y: '32%',
      width: 900,
      fontSize: 72,
      fontWeight: 800,
      textShadow: shadow,
    },
    { type: 'text', text: body, x: '70%', y: '68%', width: 900, fontSize: 44, textShadow: shadow },
  ];
  const picture = (from: number, to: number): object => ({
    type: 'image',
    src: dataUrl(jpeg),
    x: '26%',
    width: 800,
    height: 560,
    rotation: over(from, to),
    scale: over(1, 1.25),
  });
  const card = {
    type: 'shape',
    shape: 'rectangle',
    x: '70%',
    width: 980,
    height: 860,
    radius: 40,
    fill: '#0f172ab0',
  };
  return {
    ...SIZE,
    scenes: [
      {
        duration: 5.5,
        elements: [
          {
            type: 'shape',
            shape: 'rectangle',
            width: 2210,
            height: 2210,
            rotation: over(0, 90),
            fill: {
              type: 'linear',
              angle: 90,
              stops: [
                { offset: 0, color: '#1e3a8a' },
                { offset: 1, color: '#db2777' },
              ],
            },
          },
          picture(-8, 8),
          card,
          ...texts(WORDS.title, WORDS.body),
        ],
      },
      {
        duration: 5.5,
        background: '#0f766e',
        transition: { type: 'fade', duration: 1, easing: 'linear' },
        elements: [picture(6, -6), card, ...texts(WORDS.second, WORDS.secondBody)],
      },
    ],
  };
}

/** 10 s of one picture, under captions whose words change every ten frames. */
export function captionedScene(jpeg: Buffer): object {
  const words = Array.from({ length: 30 }, (_, index) => ({
    text: `word${index + 1}`,
    start: index / 3,
    end: (index + 1) / 3,
  }));
  return {
    ...SIZE,
    scenes: [{ duration: 10, background: { type: 'image', src: dataUrl(jpeg) } }],
    captionTrack: { words, mode: 'word' },
  };
}
