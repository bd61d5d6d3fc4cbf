// Renders the list of slides of a video template: a form for each slide, with buttons to move, remove and add slides.

import GripVertical from 'icon:grip-vertical';
import Plus from 'icon:plus';
import Trash from 'icon:trash-2';
import type { VideoTemplate } from '../../../../sdk/src/schemas.ts';
import type { InputDef } from '../../../../src/graph/catalog.ts';
import { type GraphNode, isJsonObject, type Json, type JsonObject } from '../../../../src/graph/types.ts';
import { getControlKind } from '../../../board/control-kind.ts';
import { listSlots, type Slot, setSlides } from '../../../board/slides.ts';
import { messages } from '../../../flow-messages.ts';
import { Button, IconButton } from '../../../kit/button.tsx';
import { SortableList } from '../../../kit/sortable-list.tsx';
import { useEditor } from '../../../session/editor-context.tsx';
import { CONTROLS } from './controls.tsx';
import { ConnectedInput, useSource } from './input-field.tsx';
import styles from './inspector.module.css';

const slideMessages = messages.flow.slides;

/** Further slides are kept, but not shown. */
const MAX_SHOWN = 50;

interface SlidesControlProps {
  readonly node: GraphNode;
  readonly template: VideoTemplate;
  readonly input: InputDef;
  /** The slides, of the node or else of the template. */
  readonly slides: readonly JsonObject[];
}

export function SlidesControl({ node, template, input, slides }: SlidesControlProps) {
  const { store, catalog } = useEditor().session;
  const slots = listSlots(template, input.id);
  const fields = listFields(slots, template.defaultProps, input.id);
  const items = slides.map((slide, index) => ({ slide, index: index as number | undefined }));
  const set = (label: string, newItems: typeof items, key?: string): void => {
    const changes = setSlides(
      store.getState().board,
      catalog,
      { node, prop: input.id, slots },
      {
        slides: newItems.map(({ slide }) => slide),
        order: newItems.map(({ index }) => index),
        countBefore: slides.length,
      },
    );
    store.actions.perform(label, changes, key && `set ${node.id} ${input.id} ${key}`);
  };
  const setValue = (index: number, field: SlideField, value: Json | undefined): void => {
    const slide = { ...slides[index], [field.key]: value ?? '' };
    set(
      messages.flow.edits.set(field.input.label),
      items.with(index, { slide, index }),
      `${index} ${field.key}`,
    );
  };
  return (
    <fieldset className={styles.slides}>
      <legend className={styles.codeLabel}>{input.label}</legend>
      {input.description !== undefined && <p className={styles.note}>{input.description}</p>}
      <SortableList
        items={items}
        maxShown={MAX_SHOWN}
        getName={(_, index) => slideMessages.name(index + 1)}
        itemClassName={styles.slide}
        onChange={moved => set(slideMessages.move, [...moved])}
      >
        {({ item: { slide }, index, moveButtons, handle }) => (
          <>
            <header {...handle}>
              <GripVertical aria-hidden />
              <strong>{slideMessages.title(index + 1)}</strong>
              {moveButtons}
              <IconButton
                size="s"
                icon={Trash}
                label={slideMessages.remove(index + 1)}
                // A template without slides has nothing to show.
                disabled={items.length === 1}
                onClick={() => set(slideMessages.removeOne, items.toSpliced(index, 1))}
              />
            </header>
            {fields.map(field => (
              <SlideFieldControl
                key={field.key}
                node={node}
                field={field}
                index={index}
                value={slide[field.key]}
                onChange={value => setValue(index, field, value)}
              />
            ))}
          </>
        )}
      </SortableList>
      <Button
        size="s"
        icon={Plus}
        onClick={() =>
          set(slideMessages.add, [
            ...items,
            { slide: Object.fromEntries(fields.map(({ key }) => [key, ''])), index: undefined },
          ])
        }
      >
        {slideMessages.add}
      </Button>
    </fieldset>
  );
}

interface SlideField {
  readonly key: string;
  readonly input: InputDef;
  readonly slot: Slot | undefined;
}

/** Returns a field for each member that has a port, and for each other member of the slides of the template. */
function listFields(slots: readonly Slot[], defaultProps: unknown, prop: string): readonly SlideField[] {
  const list = isJsonObject(defaultProps) ? defaultProps[prop] : undefined;
  const [first] = Array.isArray(list) ? (list as readonly Json[]) : [];
  const others = isJsonObject(first) ? Object.entries(first) : [];
  return [
    ...slots.map(slot => ({
      key: slot.key,
      slot,
      input: { id: slot.key, label: slot.label, type: slot.portType as InputDef['type'], isPort: false },
    })),
    ...others
      .filter(([key]) => !slots.some(slot => slot.key === key))
      .map(([key, value]) => ({
        key,
        slot: undefined,
        input: {
          id: key,
          label: messages.flow.scene.label(key),
          type: typeof value === 'number' ? ('NUMBER' as const) : ('TEXT' as const),
          isPort: false,
          ...(typeof value === 'string' ? { default: value } : {}),
        },
      })),
  ];
}

const MEDIA_TYPES: ReadonlySet<string> = new Set(['IMAGE', 'VIDEO', 'AUDIO']);

interface SlideFieldControlProps {
  readonly node: GraphNode;
  readonly field: SlideField;
  readonly index: number;
  readonly value: Json | undefined;
  readonly onChange: (value: Json | undefined) => void;
}

function SlideFieldControl({ node, field: { input, slot }, index, value, onChange }: SlideFieldControlProps) {
  const source = useSource(node.id, { id: slot?.getPortId(index) ?? '', isPort: slot !== undefined });
  if (source !== undefined)
    return (
      <ConnectedInput label={input.label}>{messages.flow.connectedTo(source.data.label)}</ConnectedInput>
    );
  const isMedia = MEDIA_TYPES.has(input.type);
  const Control = isMedia ? CONTROLS.media : CONTROLS[getControlKind(input) ?? 'json'];
  // A drawn placeholder is not a file.
  const isPlaceholder = typeof value === 'string' && value.startsWith('sample:');
  return (
    <Control
      node={node}
      input={input}
      value={value === '' || isPlaceholder ? undefined : value}
      hint={isMedia && isPlaceholder ? slideMessages.placeholder : undefined}
      mediaKind={isMedia ? input.type.toLowerCase() : undefined}
      onChange={onChange}
    />
  );
}
