// Declares the Video Editor node, which renders a template or a scene graph with its inputs to a video.
import type { JsonObject } from '../graph/types.ts';
import { AppError, type Issue } from '../lib/errors.ts';
import { defineNode, json, NodeError, type NodeSettings, text, video } from './define.ts';
import { createPreviewSceneGraph, createSceneGraph, listPorts, readRenderMode } from './renderer-mode.ts';
import { renderInSegments } from './rendering.ts';
import { findUndrawableTexts } from './scene-texts.ts';

const OUTPUTS = { video: video('Video') };

export const videoRenderer = defineNode({
  nodeType: 'video:renderer',
  label: 'Video Editor',
  description: 'Renders a video from a template or from a scene graph.',
  category: 'video',
  requires: 'codec',
  cache: ({ props }, settings) => !usesExternalFiles(props, settings),
  inputs: {},
  config: {
    templateId: text('Template', {
      description: 'The template that draws the video: one of GET /renderer/templates.',
    }),
    props: json('Props', {
      description:
        'The values of the template that differ from its defaults. Without a template: { sceneGraph }, see GET /renderer/scene-graph.',
    }),
  },
  outputs: OUTPUTS,
  dynamicPorts: {
    note: 'One input for each of the inputMappings that the template has with these props, or for each {{token}} of the scene graph. Only connections can fill these inputs.',
    isSaved: true,
    resolve: (config: JsonObject) => {
      const mode = readRenderMode(config);
      const problem = mode.kind === 'none' ? mode.problem : undefined;
      return { inputs: listPorts(mode), outputs: OUTPUTS, problem };
    },
  },
  findWarnings: (config, texts) => {
    const mode = readRenderMode(config);
    if (mode.kind === 'none') return [];
    return findUndrawableTexts(createScene(mode, texts)).map(({ path, message }) => ({
      path: mode.kind === 'template' ? ['props'] : ['props', 'sceneGraph', ...path],
      message,
    }));
  },
  run: async (values, ctx) => {
    const mode = readRenderMode(values);
    if (mode.kind === 'none') throw new NodeError('invalid_config', mode.problem);
    const graph = createSceneGraph(mode, values);
    const { id: name, thumbnailFrame: posterFrame } =
      mode.kind === 'template' ? mode.template : { id: 'video', thumbnailFrame: undefined };
    const request = { graph, posterFrame, read: ctx.media.open };
    return { video: await renderInSegments(ctx, name, request).catch(throwWithIssues) };
  },
});

/** Returns the scene graph with the known texts, or without them if they are too long. */
function createScene(
  mode: Parameters<typeof createPreviewSceneGraph>[0],
  texts: Readonly<Record<string, string>>,
): unknown {
  try {
    return createPreviewSceneGraph(mode, texts);
  } catch (err) {
    if (err instanceof NodeError) return createPreviewSceneGraph(mode);
    throw err;
  }
}

const MAX_LISTED_ISSUES = 5;

/**
 * Rethrows validation issues as a NodeError whose message lists the first ones, because a step has only one message.
 */
function throwWithIssues(thrown: unknown): never {
  if (!(thrown instanceof AppError) || thrown.issues === undefined) throw thrown;
  const describe = ({ path = '', message }: Issue): string => `${path === '' ? 'it' : path} ${message}`;
  const problems = thrown.issues.slice(0, MAX_LISTED_ISSUES).map(describe).join('; ');
  const remainder =
    thrown.issues.length > MAX_LISTED_ISSUES ? `; and ${thrown.issues.length - MAX_LISTED_ISSUES} more` : '';
  throw new NodeError(thrown.code, `The scene graph cannot be used: ${problems}${remainder}.`, {
    cause: thrown,
  });
}

/** Returns whether the props contain external URLs, whose files may change. */
function usesExternalFiles(props: unknown, { CDN_URL }: NodeSettings): boolean {
  const ownPrefix = `${CDN_URL}/`;
  return [...JSON.stringify(props ?? null).matchAll(/"(https?:[^"]*)"/g)].some(
    ([, url = '']) => !url.startsWith(ownPrefix),
  );
}
