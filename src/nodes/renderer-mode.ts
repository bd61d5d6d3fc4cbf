// Determines what a video:renderer node runs by its config, a template or a scene graph, and the ports of either.
import type { JsonObject, MediaRef, PortType } from '../graph/types.ts';
import { isMediaType } from '../graph/values.ts';
import { findTemplate } from '../render/templates/catalog.ts';
import {
  fillTemplate,
  type InputMapping,
  inputMappings,
  setProp,
  type Template,
} from '../render/templates/template.ts';
import { audio, image, json, number, type Spec, type Specs, text, video } from './define.ts';
import { isJsonObject } from './limits.ts';
import { fillScene, sceneTokens } from './scene-tokens.ts';

export type Mode =
  | {
      readonly kind: 'template';
      readonly template: Template;
      readonly props: JsonObject;
      readonly mappings: readonly InputMapping[];
    }
  | { readonly kind: 'sceneGraph'; readonly graph: unknown }
  /** A sentence. */
  | { readonly kind: 'none'; readonly problem: string };

/** The mode that the config selects; `none` if it selects both, neither, or a missing template. */
export function readMode(config: Readonly<Record<string, unknown>>): Mode {
  const props = isJsonObject(config.props) ? config.props : {};
  const { templateId } = config;
  const hasTemplate = templateId !== undefined && templateId !== null && templateId !== '';
  const graph = props.sceneGraph ?? undefined;
  if (hasTemplate && graph !== undefined)
    return none(
      'config.templateId and config.props.sceneGraph are both set, and a Video Editor runs one of them: remove the other.',
    );
  if (graph !== undefined) return { kind: 'sceneGraph', graph };
  if (!hasTemplate)
    return none(
      'A Video Editor needs a template in config.templateId, or a scene graph in config.props.sceneGraph.',
    );
  const template = typeof templateId === 'string' ? findTemplate(templateId) : undefined;
  if (template === undefined)
    return none(
      `There is no template ${JSON.stringify(templateId).slice(0, 80)}; GET /renderer/templates lists them.`,
    );
  return { kind: 'template', template, props, mappings: inputMappings(template, props) };
}

const none = (problem: string): Mode => ({ kind: 'none', problem });

type MakeSpec = (
  label: string,
  options: { readonly wiredOnly: true; readonly required: boolean },
) => Spec<unknown>;

const SPECS: Readonly<Record<InputMapping['portType'], MakeSpec>> = {
  TEXT: text,
  NUMBER: number,
  JSON: json,
  IMAGE: image,
  VIDEO: video,
  AUDIO: audio,
};

/** Every port is filled by an edge only. A scene graph's tokens are required; a template's ports as declared. */
export function portsOf(mode: Mode): Specs {
  if (mode.kind === 'none') return {};
  if (mode.kind === 'template') {
    return Object.fromEntries(
      mode.mappings.map(({ portId, portLabel, portType, required }) => [
        portId,
        SPECS[portType](portLabel, { wiredOnly: true, required }),
      ]),
    );
  }
  if (!isJsonObject(mode.graph)) return {};
  const tokens = [...sceneTokens(mode.graph)];
  return Object.fromEntries(
    tokens.map(([name, type]) => [name, SPECS[type](name, { wiredOnly: true, required: true })]),
  );
}

/** The scene graph with the values of its ports filled in, media by URL. Not validated yet. */
export function fillMode(
  mode: Exclude<Mode, { kind: 'none' }>,
  values: Readonly<Record<string, unknown>>,
): unknown {
  if (mode.kind === 'sceneGraph') {
    if (!isJsonObject(mode.graph)) return mode.graph;
    const tokens = sceneTokens(mode.graph);
    return fillScene(mode.graph, name => plain(tokens.get(name) ?? 'TEXT', values[name]));
  }
  const { template, mappings } = mode;
  let props: Readonly<Record<string, unknown>> = { ...template.defaultProps, ...mode.props };
  for (const { propPath, portId, portType } of mappings) {
    if (values[portId] !== undefined) props = setProp(props, propPath, plain(portType, values[portId]));
  }
  return fillTemplate(template, props);
}

/** The scene graph while nothing is connected: a template with its props, a scene graph with placeholders for media. */
export function fillForPreview(mode: Exclude<Mode, { kind: 'none' }>): unknown {
  if (mode.kind === 'template') return fillTemplate(mode.template, mode.props);
  if (!isJsonObject(mode.graph)) return mode.graph;
  const tokens = sceneTokens(mode.graph);
  return fillScene(mode.graph, name =>
    isMediaType(tokens.get(name) ?? 'TEXT') ? `sample:${name}` : `{{${name}}}`,
  );
}

/** The engine passes a reference to a media port. */
function plain(type: PortType, value: unknown): unknown {
  return isMediaType(type) ? (value as MediaRef).url : value;
}
