// Reads what a video template says about its ports and properties.
import { useQuery } from '@tanstack/react-query';
import type { InputDef } from '../../../../src/graph/catalog.ts';
import { type GraphNode, isJsonObject, type Json, type JsonObject } from '../../../../src/graph/types.ts';
import { isSlidePort } from '../../../board/slides.ts';
import { VIDEO_TEMPLATES_QUERY } from './video-template-control.tsx';

/** Returns a predicate for the ports whose fields are in the form of a slide. */
export function useSlidePorts({ data }: GraphNode): (portId: string) => boolean {
  const { templateId } = data.config ?? {};
  const { data: templates } = useQuery({ ...VIDEO_TEMPLATES_QUERY, enabled: typeof templateId === 'string' });
  const template = templates?.data.find(({ id }) => id === templateId);
  const lists = Object.entries(toObject(template?.defaultProps)).flatMap(([id, value]) => {
    const own = toObject(data.config?.props)[id] ?? value;
    return isSlideList(own) ? [id] : [];
  });
  return portId => template !== undefined && isSlidePort(template, portId, lists);
}

/** Returns the description of a port of the template, and the value that applies while the port is not connected. */
export function useTemplatePort(
  { data }: GraphNode,
  portId: string,
): Pick<InputDef, 'default' | 'description'> {
  const { templateId } = data.config ?? {};
  const { data: templates } = useQuery({ ...VIDEO_TEMPLATES_QUERY, enabled: typeof templateId === 'string' });
  const template = templates?.data.find(({ id }) => id === templateId);
  const mapping = template?.inputMappings.find(({ portId: id }) => id === portId);
  if (template === undefined || mapping === undefined) return {};
  let value: Json | undefined = toObject(template.defaultProps);
  for (const key of mapping.propPath.split('.'))
    value =
      typeof value === 'object' && value !== null
        ? (value as Readonly<Record<string, Json>>)[key]
        : undefined;
  const { description } = mapping;
  return {
    ...(value === undefined ? {} : { default: value }),
    ...(description === undefined ? {} : { description }),
  };
}

export const isSlideList = (value: Json | undefined): value is readonly JsonObject[] =>
  Array.isArray(value) && value.length > 0 && value.every(isJsonObject);

export const toObject = (value: unknown): JsonObject => (isJsonObject(value) ? value : {});
