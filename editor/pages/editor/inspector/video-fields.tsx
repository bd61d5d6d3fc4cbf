// Renders the settings of a video node: its template with a preview, a field for each input and property of the template,
// and the properties as JSON.
import { useQuery } from '@tanstack/react-query';
import type { VideoTemplate } from '../../../../sdk/src/schemas.ts';
import type { InputDef } from '../../../../src/graph/catalog.ts';
import type { GraphNode, Json } from '../../../../src/graph/types.ts';
import { getControlKind } from '../../../board/control-kind.ts';
import { setConfig } from '../../../board/edits.ts';
import { messages } from '../../../flow-messages.ts';
import { lazyComponent } from '../../../lib/lazy-component.ts';
import { useEditor } from '../../../session/editor-context.tsx';
import { CONTROLS } from './controls.tsx';
import { InputField } from './input-field.tsx';
import styles from './inspector.module.css';
import { ScenePreview } from './scene-preview.tsx';
import { isSlideList, toObject, useSlidePorts } from './use-template.ts';
import { VIDEO_TEMPLATES_QUERY } from './video-template-control.tsx';

// Only templates with slides show these.
const SlidesControl = lazyComponent<Parameters<typeof import('./slides-control.tsx').SlidesControl>[0]>(
  async () => (await import('./slides-control.tsx')).SlidesControl,
);

interface VideoFieldsProps {
  readonly node: GraphNode;
  readonly inputs: readonly InputDef[];
}

export function VideoFields({ node, inputs }: VideoFieldsProps) {
  const isSlidePort = useSlidePorts(node);
  const renderField = (input: InputDef) => <InputField key={input.id} node={node} input={input} />;
  const props = inputs.filter(({ id }) => id === 'props');
  return (
    <>
      {inputs.filter(({ id }) => id === 'templateId').map(renderField)}
      <ScenePreview node={node} />
      {inputs.filter(({ id, isPort }) => isPort && !isSlidePort(id)).map(renderField)}
      <TemplateFields node={node} />
      <details className={styles.raw}>
        <summary>{messages.flow.videoTemplate.json}</summary>
        {props.map(renderField)}
      </details>
    </>
  );
}

/** Renders a field for each property of the template that has no port. An empty field shows the template's default. */
function TemplateFields({ node }: { readonly node: GraphNode }) {
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
