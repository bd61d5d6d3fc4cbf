// Builds the authoring guide from prose, examples, and tables that are generated from the schema.
import { BLOCKS } from '../templates/blocks.ts';
import { COMMON_DESCRIPTIONS } from './common.ts';
import { ELEMENT_TYPES } from './elements.ts';
import { SCENE_GRAPH_SCHEMA } from './scene-graph.ts';

interface JsonSchema {
  readonly description?: string;
  readonly properties?: Readonly<Record<string, JsonSchema>>;
  readonly required?: readonly string[];
  readonly $ref?: string;
  readonly type?: string;
  readonly enum?: readonly unknown[];
  readonly const?: unknown;
  readonly minimum?: number;
  readonly maximum?: number;
}

// The published schema, as plain JSON.
const SCHEMA: JsonSchema & { readonly $defs: Readonly<Record<string, JsonSchema>> } = JSON.parse(
  JSON.stringify(SCENE_GRAPH_SCHEMA),
);

const INTRODUCTION = `# Authoring a scene graph

A scene graph is one JSON object that describes a video. Frames are drawn from it alone: there is no browser, no script
and no randomness, so the same graph always gives the same frames. A property that is not listed here is rejected, with
its JSON pointer. Preview stills with POST /render/renderer/preview before you render.

## Structure

Required: \`fps\`, \`width\`, \`height\`, \`scenes\`. Common sizes: 1080 × 1920 (reel), 1080 × 1080 (post), 1920 × 1080 (wide),
at 30 frames per second. From back to front, a frame shows \`background\`, the current scene (two during a transition),
\`tracks\`, \`captionTrack\` and \`overlays\`.

\`\`\`json
{
  "fps": 30, "width": 1080, "height": 1920,
  "theme": { "colors": { "accent": "#ff6b3d", "ink": "#15100d" }, "fonts": { "heading": "Playfair Display" } },
  "scenes": [
    { "duration": 3, "background": "$ink", "elements": [
      { "type": "text", "text": "Coffee that waits for you", "fontSize": "12vmin", "fontFamily": "$heading",
        "split": { "by": "word", "preset": "rise", "stagger": 0.1 } } ] },
    { "duration": 4, "transition": { "type": "push", "direction": "up" }, "background": "$accent", "elements": [
      { "type": "image", "src": "https://example.com/cup.jpg", "width": "86%", "height": "50%", "radius": 48,
        "motion": { "in": { "preset": "zoom-out" }, "kenBurns": { "to": 1.15 } } } ] }
  ],
  "overlays": [ { "type": "progress", "y": "98%", "height": 8, "width": "90%" } ]
}
\`\`\`

## Time

Write seconds as a number, or use text: "1.5s", "500ms", "12f" (frames), "50%" (of the container's duration). The
\`start\` of an element counts from the start of its container: its group, its scene, or the whole video for tracks and
overlays. Without \`duration\`, an element stays until its container ends. Scenes play one after another. A transition
overlaps two scenes, so it shortens the video by its duration. It is at most half as long as either scene.

## Position

\`x\` and \`y\` position the element's \`anchor\`. All three default to the center of the container. Lengths are pixels,
"50%" of the container, or vw, vh, vmin and vmax of the frame. To align an element to the left edge, write "x": "8%",
"anchor": "left". Give texts a \`width\`. If a text may be longer than expected, also give it a \`height\` or \`maxLines\`:
it then shrinks to fit, and ends with an ellipsis if even the smallest size is too large. Keep text 8 % away from the
edges, and in vertical videos out of the lowest 12 %.

## Motion

There are four kinds of motion, which can be combined: keyframes on a value ({ "keyframes": [{ "time": 0, "value": 0 },
{ "time": 1, "value": 1, "easing": "back-out" }] }), \`motion\` with a named entrance, exit and loop, \`split\` on texts,
and \`kenBurns\` on images. Start entrances 0.1 to 0.3 s apart; 0.5 to 0.8 s is a good duration. An easing is a name,
{ "cubicBezier": [x1, y1, x2, y2] }, { "spring": { "stiffness", "damping", "mass" } } or { "steps": n }.

## Design

Use one accent color, named in \`theme\`, and use it sparingly. Use two font sizes that differ clearly. Reduce the letter
spacing of large text ("letterSpacing": -0.03) and increase it for small capitals (0.12). Behind text on an image, place
a rectangle with a gradient from "#00000000" to "#000000c0". Build list rows as groups with "background": "#ffffff14",
"radius": 36.

## Audio

Put the voice, music and effects of the whole video into \`audioTrack\`. Sound that belongs to a scene or group is an
\`audio\` element. A \`video\` element plays its sound unless "muted"; a video background is silent. Everything is mixed to
one stereo track, and the audio of scenes cross-fades with their transition. To lower music and effects while someone
speaks, give the voice "role": "voice" and the track "duck": {}. Volumes are 0 to 4, can be animated, and are relative
to each other: with an \`audioTrack\`, the whole mix is normalized to its loudness.

## Media

Name files in \`assets\` and refer to them by "asset", or write "src" on the element. The service loads public https URLs,
files of the media library, and data URLs of images. "sample:" followed by some words draws a placeholder. An element
whose file cannot be read is left out, and the render reports its JSON pointer.

## In a workflow

In a Video Editor node, a string may contain \`{{tokens}}\`. Each token becomes a port that must be connected. "src":
"{{photo}}" takes the image, video or audio of that element, and "By {{author}}" takes text. A token that is the whole
value of any other property, as in "to": "{{total}}", takes any value.
`;

/** Renders the guide to scene graphs: about 21 KB of Markdown. */
export function renderSceneGraphDoc(): string {
  const { $defs: defs } = SCHEMA;
  const commonKeys = Object.keys(COMMON_DESCRIPTIONS);
  const elementTypes = Object.keys(ELEMENT_TYPES)
    .map(name => defs[name] ?? {})
    .map(
      definition =>
        `### ${String(definition.properties?.type?.const)}\n\n${definition.description}\n\n${renderPropertyList(definition, [...commonKeys, 'type'], defs)}`,
    );
  return [
    INTRODUCTION,
    `## Top-level properties\n\n${renderPropertyList(SCHEMA, [], defs)}`,
    `## Every element\n\n${Object.entries(COMMON_DESCRIPTIONS)
      .map(
        ([name, meaning]) => `- \`${name}\`${describeType(defs.Text?.properties?.[name], defs)}: ${meaning}`,
      )
      .join('\n')}`,
    '## Element types',
    ...elementTypes,
    '## Values',
    ...LISTED_DEFINITIONS.map(name => renderSection(name, defs)),
    `## Blocks\n\nA scene with "blockId" and "props" instead of elements.\n\n${BLOCKS.map(
      ({ id, description }) => `- \`${id}\`: ${description}`,
    ).join('\n')}`,
  ].join('\n\n');
}

/** Definitions that have a section in the guide. */
const LISTED_DEFINITIONS = [
  'Scene',
  'Background',
  'Linear',
  'Radial',
  'Conic',
  'ImageBackground',
  'VideoBackground',
  'Transition',
  'Motion',
  'Entrance',
  'Split',
  'Run',
  'TextStyle',
  'Filter',
  'Shadow',
  'Border',
  'Radius',
  'Clip',
  'Mask',
  'Easing',
  'Color',
  'Source',
  'Track',
  'CaptionTrack',
  'Word',
  'AudioTrack',
  'AudioItem',
  'Asset',
  'Font',
  'Theme',
  'Defaults',
] as const;

function renderSection(name: string, defs: Readonly<Record<string, JsonSchema>>): string {
  const definition = defs[name] ?? {};
  const list = definition.properties === undefined ? '' : `\n\n${renderPropertyList(definition, [], defs)}`;
  return `### ${name}\n\n${definition.description ?? ''}${list}`;
}

function renderPropertyList(
  { properties = {}, required = [] }: JsonSchema,
  excludedNames: readonly string[],
  defs: Readonly<Record<string, JsonSchema>>,
): string {
  return Object.entries(properties)
    .filter(([name]) => !excludedNames.includes(name))
    .map(([name, value]) => {
      const requirement = required.includes(name) ? ' (required)' : '';
      const meaning = value.description === undefined ? '' : `. ${value.description}`;
      return `- \`${name}\`${requirement}${describeType(value, defs)}${meaning}`;
    })
    .join('\n');
}

function describeType(value: JsonSchema | undefined, defs: Readonly<Record<string, JsonSchema>>): string {
  if (value === undefined) return '';
  const name = value.$ref?.split('/').at(-1);
  if (name !== undefined) return name in defs ? `: ${name}` : '';
  if (value.const !== undefined) return `: ${JSON.stringify(value.const)}`;
  if (value.enum !== undefined) return `: ${value.enum.join(', ')}`;
  const range =
    value.minimum === undefined || value.maximum === undefined
      ? ''
      : `, ${value.minimum} to ${value.maximum}`;
  return value.type === undefined ? '' : `: ${value.type}${range}`;
}
