// Renders a field for each property of a video template that has no port. An empty field shows the template's default.
import { useQuery } from '@tanstack/react-query';
import type { VideoTemplate } from '../../../../sdk/src/schemas.ts';
import type { InputDef } from '../../../../src/graph/catalog.ts';
import { type GraphNode, isJsonObject, type Json, type JsonObject } from '../../../../src/graph/types.ts';
import { getControlKind } from '../../../board/control-kind.ts';
import { setConfig } from '../../../board/edits.ts';
import { isSlidePort } from '../../../board/slides.ts';
import { messages } from '../../../flow-messages.ts';
import { lazyComponent } from '../../../lib/lazy-component.ts';
import { useEditor } from '../../../session/editor-context.tsx';
import { CONTROLS } from './controls.tsx';
import styles from './inspector.module.css';
import { VIDEO_TEMPLATES_QUERY } from './video-template-control.tsx';

// Only templates with slides show these.
const SlidesControl = lazyComponent<Parameters<typeof import('./slides-control.tsx').SlidesControl>[0]>(
  async () => (await import('./slides-control.tsx')).SlidesControl,
);

export function TemplateFields({ node }: { readonly node: GraphNode }) {
  const { store, catalog } = useEditor().session;
  const templateId = node.data.config?.templateId;
  const { data } = useQuery({ ...VIDEO_TEMPLATES_QUERY, enabled: typeof templateId === 'string' });
  const template = data?.data.find(({ id }) => id === templateId);
  if (template === undefined) return null;
  const props = toObject(node.data.config?.props);
  return toInputs(template).map(input => {
    const { [input.id]: value, ...rest } = props;
    const slides = value ?? input.default;
    if (isSlideList(slides)) return <SlidesControl key={input.id} {...{ node, template, input, slides }} />;
    const Control = CONTROLS[getControlKind(input) ?? 'json'];
    return (
      <div key={input.id} className={styles.field} data-input={`props.${input.id}`}>
        <Control
          node={node}
          input={input}
          value={value}
          hint={input.description}
          onChange={next =>
            store.actions.perform(
              messages.flow.edits.set(input.label),
              setConfig(store.getState().board, catalog, node.id, {
                props: next === undefined ? rest : { ...props, [input.id]: next },
              }),
              `set ${node.id} props ${input.id}`,
            )
          }
        />
      </div>
    );
  });
}

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

const isSlideList = (value: Json | undefined): value is readonly JsonObject[] =>
  Array.isArray(value) && value.length > 0 && value.every(isJsonObject);

const toObject = (value: unknown): JsonObject => (isJsonObject(value) ? value : {});

const TYPES: Readonly<Record<string, InputDef['type']>> = {
  string: 'TEXT',
  number: 'NUMBER',
  boolean: 'BOOLEAN',
};

/** Returns an input for each property without a port. */
function toInputs({ defaultProps, inputMappings, props }: VideoTemplate): readonly InputDef[] {
  const portPaths = new Set(inputMappings.map(({ propPath }) => propPath));
  return Object.entries(toObject(defaultProps))
    .filter(([id]) => !portPaths.has(id))
    .map(([id, value]) => ({
      id,
      label: props[id]?.label ?? `${id.slice(0, 1).toUpperCase()}${id.slice(1)}`,
      type: (Array.isArray(value) ? 'LIST' : TYPES[typeof value]) ?? 'JSON',
      isPort: false,
      default: value as Json,
      ...(props[id] === undefined ? {} : { description: props[id].description }),
    }));
}
