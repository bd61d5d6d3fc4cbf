// The Video Editor: renders a template or a scene graph, filled by its inputs, to a video.
import type { JsonObject } from '../graph/types.ts';
import { AppError, type Issue } from '../lib/errors.ts';
import { readSettings } from '../lib/settings.ts';
import { defineNode, json, NodeError, text, video } from './define.ts';
import { fillMode, portsOf, readMode } from './renderer-mode.ts';
import { renderMediaInParts } from './rendering.ts';

const OUTPUTS = { video: video('Video') };

export const videoRenderer = defineNode({
  nodeType: 'video:renderer',
  label: 'Video Editor',
  description: 'Renders a video from a template or from a scene graph.',
  category: 'video',
  requires: 'codec',
  cache: ({ props }) => !reachesOut(props),
  inputs: {},
  config: {
    templateId: text('Template', { description: 'One of the templates from GET /renderer/templates.' }),
    props: json('Props', {
      description:
        'Overrides the defaultProps of the template. Without a template: { sceneGraph }, see GET /renderer/scene-graph.',
    }),
  },
  outputs: OUTPUTS,
  dynamicPorts: {
    note: 'One input for each of the inputMappings that the template has with these props, or for each {{token}} of the scene graph. Ports are filled by edges alone, never by config.',
    isSaved: true,
    resolve: (config: JsonObject) => {
      const mode = readMode(config);
      const problem = mode.kind === 'none' ? mode.problem : undefined;
      return { inputs: portsOf(mode), outputs: OUTPUTS, problem };
    },
  },
  run: async (values, ctx) => {
    const mode = readMode(values);
    if (mode.kind === 'none') throw new NodeError('invalid_config', mode.problem);
    const graph = fillMode(mode, values);
    const { id: name, thumbnailFrame: posterFrame } =
      mode.kind === 'template' ? mode.template : { id: 'video', thumbnailFrame: undefined };
    const order = { graph, posterFrame, read: ctx.media.open };
    return { video: await renderMediaInParts(ctx, name, order).catch(throwWithIssues) };
  },
});

const NAMED_ISSUES = 5;

/** A step has one sentence instead of a list, so the sentence names what is wrong and where. */
function throwWithIssues(thrown: unknown): never {
  if (!(thrown instanceof AppError) || thrown.issues === undefined) throw thrown;
  const describe = ({ path = '', message }: Issue): string => `${path === '' ? 'it' : path} ${message}`;
  const described = thrown.issues.slice(0, NAMED_ISSUES).map(describe).join('; ');
  const more = thrown.issues.length > NAMED_ISSUES ? `; and ${thrown.issues.length - NAMED_ISSUES} more` : '';
  throw new NodeError(thrown.code, `The scene graph cannot be used: ${described}${more}.`, { cause: thrown });
}

/** A file at an external URL may change. */
function reachesOut(props: unknown): boolean {
  const own = `${readSettings().CDN_URL}/`;
  return [...JSON.stringify(props ?? null).matchAll(/"(https?:[^"]*)"/g)].some(
    ([, url = '']) => !url.startsWith(own),
  );
}
