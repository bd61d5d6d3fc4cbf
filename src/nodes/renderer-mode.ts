// Determines from the config whether a video:renderer node renders a template or a scene graph, and derives its ports.
import { isJsonObject, type JsonObject, type MediaRef, type PortType } from '../graph/types.ts';
import { isMediaType } from '../graph/values.ts';
import { readPath } from '../render/templates/bind.ts';
import { findTemplate } from '../render/templates/catalog.ts';
import {
  fillTemplate,
  type InputMapping,
  listInputMappings,
  setProp,
  type Template,
} from '../render/templates/template.ts';
import { audio, image, json, number, type Spec, type Specs, text, video } from './define.ts';
import { fillScene, listSceneTokens } from './scene-tokens.ts';

export type RenderMode =
  | {
      readonly kind: 'template';
      readonly template: Template;
      readonly props: JsonObject;
      readonly mappings: readonly InputMapping[];
    }
  | { readonly kind: 'sceneGraph'; readonly graph: unknown }
  | { readonly kind: 'none'; readonly problem: string };

/** Returns the mode that the config selects: `none` if it selects both, neither, or an unknown template. */
export function readRenderMode(config: Readonly<Record<string, unknown>>): RenderMode {
  const props = isJsonObject(config.props) ? config.props : {};
  const { templateId } = config;
  const hasTemplate = templateId !== undefined && templateId !== null && templateId !== '';
  const graph = props.sceneGraph ?? undefined;
  if (hasTemplate && graph !== undefined)
    return createInvalidMode(
      'config.templateId and config.props.sceneGraph are both set. Remove one of them.',
    );
  if (graph !== undefined) return { kind: 'sceneGraph', graph };
  if (!hasTemplate)
    return createInvalidMode(
      'Choose a template (config.templateId), or add scenes (config.props.sceneGraph).',
    );
  const template = typeof templateId === 'string' ? findTemplate(templateId) : undefined;
  if (template === undefined)
    return createInvalidMode(
      `There is no template ${JSON.stringify(templateId).slice(0, 80)}. GET /renderer/templates lists all templates.`,
    );
  return { kind: 'template', template, props, mappings: listInputMappings(template, props) };
}

/** Returns whether a prop is set to more than a drawn placeholder. */
const hasOwnValue = (value: unknown): boolean =>
  value !== undefined && value !== '' && !(typeof value === 'string' && value.startsWith('sample:'));

const createInvalidMode = (problem: string): RenderMode => ({ kind: 'none', problem });

type CreateSpec = (
  label: string,
  options: { readonly wiredOnly: true; readonly required: boolean; readonly description?: string },
) => Spec<unknown>;

const SPECS: Readonly<Record<InputMapping['portType'], CreateSpec>> = {
  TEXT: text,
  NUMBER: number,
  JSON: json,
  IMAGE: image,
  VIDEO: video,
  AUDIO: audio,
};

/** Returns the ports, whose values only come from edges. Ports for the tokens of a scene graph are required. */
export function listPorts(mode: RenderMode): Specs {
  if (mode.kind === 'none') return {};
  if (mode.kind === 'template') {
    return Object.fromEntries(
      mode.mappings.map(({ propPath, portId, portLabel, portType, required, description }) => [
        portId,
        SPECS[portType](portLabel, {
          wiredOnly: true,
          // The config may set the prop itself, such as the picture of a slide.
          required: required && !hasOwnValue(readPath(mode.props, propPath)),
          ...(description === undefined ? {} : { description }),
        }),
      ]),
    );
  }
  if (!isJsonObject(mode.graph)) return {};
  const tokens = [...listSceneTokens(mode.graph)];
  return Object.fromEntries(
    tokens.map(([name, type]) => [name, SPECS[type](name, { wiredOnly: true, required: true })]),
  );
}

/** Returns the scene graph with the values of its ports inserted, media as URLs. It is not validated yet. */
export function createSceneGraph(
  mode: Exclude<RenderMode, { kind: 'none' }>,
  values: Readonly<Record<string, unknown>>,
): unknown {
  if (mode.kind === 'sceneGraph') {
    if (!isJsonObject(mode.graph)) return mode.graph;
    const tokens = listSceneTokens(mode.graph);
    return fillScene(mode.graph, name => toSceneValue(tokens.get(name) ?? 'TEXT', values[name]));
  }
  const { template, mappings } = mode;
  let props: Readonly<Record<string, unknown>> = { ...template.defaultProps, ...mode.props };
  for (const { propPath, portId, portType } of mappings) {
    if (values[portId] !== undefined)
      props = setProp(props, propPath, toSceneValue(portType, values[portId]));
  }
  return fillTemplate(template, props);
}

/**
 * Returns the scene graph for a preview with the values of some of its ports. A required picture or video without a value
 * becomes a placeholder, and values that do not fit their port are left out. Throws NodeError if a text becomes too long.
 */
export function createPreviewSceneGraph(
  mode: Exclude<RenderMode, { kind: 'none' }>,
  values: Readonly<Record<string, unknown>> = {},
): unknown {
  const getValue = (name: string, type: PortType): unknown =>
    Object.hasOwn(values, name) ? toPreviewValue(type, values[name]) : undefined;
  if (mode.kind === 'template') {
    let props: Readonly<Record<string, unknown>> = { ...mode.template.defaultProps, ...mode.props };
    for (const { propPath, portId, portLabel, portType, required } of mode.mappings) {
      const value = getValue(portId, portType);
      if (value !== undefined) props = setProp(props, propPath, value);
      else if (required && isPicture(portType) && !readPath(props, propPath))
        props = setProp(props, propPath, `sample:${portLabel}`);
    }
    return fillTemplate(mode.template, props);
  }
  if (!isJsonObject(mode.graph)) return mode.graph;
  const tokens = listSceneTokens(mode.graph);
  return fillScene(mode.graph, name => {
    const type = tokens.get(name) ?? 'TEXT';
    const value = getValue(name, type);
    if (value !== undefined) return value;
    if (isMediaType(type)) return `sample:${name}`;
    // Without a value, a setting has its default.
    return type === 'JSON' ? undefined : `{{${name}}}`;
  });
}

const isPicture = (type: PortType): boolean => type === 'IMAGE' || type === 'VIDEO';

/** Returns the value as the scene needs it, or undefined if it does not fit the port. */
function toPreviewValue(type: PortType, value: unknown): unknown {
  if (value === undefined || value === null) return undefined;
  if (isMediaType(type)) {
    const url = isJsonObject(value) ? value.url : value;
    return typeof url === 'string' && /^https?:/.test(url) ? url : undefined;
  }
  if (type === 'NUMBER') return Number.isFinite(Number(value)) ? Number(value) : undefined;
  if (type !== 'TEXT') return value;
  return typeof value === 'object' ? JSON.stringify(value) : String(value);
}

/** Returns the value for the scene: the URL of a media reference, any other value unchanged. */
function toSceneValue(type: PortType, value: unknown): unknown {
  return isMediaType(type) ? (value as MediaRef).url : value;
}
