// Draws the scenes of bench/render-scenes.ts as Remotion compositions, with the same boxes, times, fonts and picture.
import { createElement as h, useState } from 'react';
import {
  AbsoluteFill,
  Composition,
  continueRender,
  delayRender,
  Img,
  interpolate,
  registerRoot,
  Sequence,
  staticFile,
  useCurrentFrame,
} from 'remotion';

const SHADOW = '0 4px 12px #000000a0';
const SCENE_FRAMES = 165;
const FADE_FRAMES = 30;

const fonts = [400, 800].map(
  weight => new FontFace('Inter', `url(${staticFile(`inter-${weight}.woff2`)})`, { weight: String(weight) }),
);

/** Delays frames until the fonts are loaded. */
function useFonts() {
  useState(() => {
    const handle = delayRender();
    Promise.all(fonts.map(font => font.load())).then(() => {
      for (const font of fonts) document.fonts.add(font);
      continueRender(handle);
    });
  });
}

const ramp = (frame, [from, to]) =>
  interpolate(frame, [0, SCENE_FRAMES], [from, to], { extrapolateRight: 'clamp' });

function Picture({ frame, rotation, scale }) {
  const transform = `rotate(${ramp(frame, rotation)}deg) scale(${ramp(frame, scale)})`;
  return h(Img, {
    src: staticFile('photo.jpg'),
    style: {
      position: 'absolute',
      left: -20,
      top: 190,
      width: 1000,
      height: 700,
      objectFit: 'cover',
      transform,
    },
  });
}

const card = h('div', {
  style: {
    position: 'absolute',
    left: 840,
    top: 110,
    width: 1000,
    height: 860,
    borderRadius: 40,
    background: '#10182acc',
  },
});

const createText = (text, style) =>
  h(
    'div',
    {
      style: {
        position: 'absolute',
        fontFamily: 'Inter',
        textShadow: SHADOW,
        transform: 'translateY(-50%)',
        ...style,
      },
    },
    text,
  );

const createTexts = ({ title, body }) => [
  createText(title, {
    left: 890,
    top: 330,
    width: 900,
    fontSize: 84,
    fontWeight: 800,
    lineHeight: 1.1,
    color: '#ffffff',
  }),
  createText(body, {
    left: 890,
    top: 720,
    width: 900,
    fontSize: 44,
    fontWeight: 400,
    lineHeight: 1.35,
    color: '#e8ecf4',
  }),
];

function FirstScene(props) {
  const frame = useCurrentFrame();
  const background = 'linear-gradient(90deg, #0b1f4b, #7a2d8f 50%, #f2784b)';
  const left = ramp(frame, [0, -1920]);
  return h(
    AbsoluteFill,
    { style: { overflow: 'hidden' } },
    h('div', {
      style: {
        position: 'absolute',
        width: 3840,
        height: 1080,
        background,
        transform: `translateX(${left}px)`,
      },
    }),
    h(Picture, { frame, rotation: [-6, 6], scale: [0.8, 0.95] }),
    card,
    ...createTexts(props),
  );
}

function SecondScene(props) {
  const frame = useCurrentFrame();
  const opacity = interpolate(frame, [0, FADE_FRAMES], [0, 1], { extrapolateRight: 'clamp' });
  return h(
    AbsoluteFill,
    { style: { background: '#123a3a', opacity, overflow: 'hidden' } },
    h(Picture, { frame, rotation: [6, -4], scale: [0.95, 0.8] }),
    card,
    ...createTexts(props),
  );
}

function MovingScene(props) {
  useFonts();
  return h(
    AbsoluteFill,
    { style: { background: '#000000' } },
    h(Sequence, { durationInFrames: SCENE_FRAMES }, h(FirstScene, props)),
    h(Sequence, { from: SCENE_FRAMES - FADE_FRAMES, durationInFrames: SCENE_FRAMES }, h(SecondScene, props)),
  );
}

function CaptionScene(props) {
  useFonts();
  const frame = useCurrentFrame();
  const captions = `${props.title} ${props.body}`.split(' ');
  const caption = captions[Math.floor(frame / 10) % captions.length];
  return h(
    AbsoluteFill,
    { style: { background: 'linear-gradient(120deg, #0b1f4b, #7a2d8f)', overflow: 'hidden' } },
    h(Picture, { frame: 0, rotation: [-6, -6], scale: [0.8, 0.8] }),
    card,
    ...createTexts(props),
    createText(caption, {
      left: 160,
      top: 1010,
      width: 1600,
      textAlign: 'center',
      fontSize: 72,
      fontWeight: 800,
      color: '#ffe45c',
      lineHeight: 1.2,
    }),
  );
}

const size = { fps: 30, width: 1920, height: 1080, durationInFrames: 300 };

registerRoot(() => [
  h(Composition, { id: 'moving', key: 'moving', component: MovingScene, ...size }),
  h(Composition, { id: 'captions', key: 'captions', component: CaptionScene, ...size }),
]);
