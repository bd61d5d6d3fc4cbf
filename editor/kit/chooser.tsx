// Renders a search dialog: a combobox above a list of options.

import Search from 'icon:search';
import {
  type CSSProperties,
  type KeyboardEvent,
  type ReactNode,
  type SyntheticEvent,
  type UIEvent,
  useEffect,
  useId,
  useLayoutEffect,
  useMemo,
  useRef,
  useState,
} from 'react';
import { messages } from '../messages.ts';
import { Button } from './button.tsx';
import styles from './chooser.module.css';
import { classNames } from './class-names.ts';
import { useModal } from './dialog.tsx';

export interface Choice {
  readonly id: string;
  readonly label: string;
  readonly detail?: ReactNode;
  readonly hint?: ReactNode;
  readonly icon?: ReactNode;
  /** Whether the option is dimmed, because it needs a setup first. It can still be chosen. */
  readonly isDimmed?: true;
  /** Heading above consecutive options of the same group. */
  readonly section?: string;
}

interface ChooserProps {
  readonly title: string;
  readonly placeholder: string;
  /** Initial text of the field. */
  readonly text?: string;
  /** Returns the options that match the text, best first. */
  readonly findChoices: (text: string, filter: string) => readonly Choice[];
  readonly onChoose: (id: string) => void;
  readonly onClose: () => void;
  /** Called when the text changes, to load more options. */
  readonly onText?: (text: string) => void;
  /**
   * Position of the dialog in window pixels. With a position, the page is not dimmed. Default: the top of the page.
   */
  readonly position?: { readonly x: number; readonly y: number } | undefined;
  /** Filters shown on the left: labels by id. */
  readonly filters?: Readonly<Record<string, string>> | undefined;
  /** The filter that is applied first. */
  readonly filter?: string | undefined;
  /** Controls next to the search field. */
  readonly toolbar?: ReactNode;
  /** Whether the dialog has room for options with large images. */
  readonly isWide?: true;
  /** The text for a filter without options, by the filter's id. */
  readonly emptyHints?: Readonly<Record<string, string>>;
  /** Renders details of the active option below the list. */
  readonly renderFooter?: (choice: Choice) => ReactNode;
}

/** The number of options that are rendered first. Further options follow when the user scrolls or moves to them. */
const FIRST_CHOICES = 30;
const MORE_CHOICES = 60;
/** The distance to the end of the list at which further options are rendered. */
const MORE_AT_PX = 600;

export function Chooser({
  title,
  placeholder,
  text: initialText = '',
  findChoices,
  onChoose,
  onClose,
  onText,
  position,
  filters,
  filter: initialFilter = '',
  toolbar,
  isWide,
  emptyHints = {},
  renderFooter,
}: ChooserProps) {
  const ref = useRef<HTMLDialogElement>(null);
  const id = useId();
  const [{ text, active }, setState] = useState({ text: initialText, active: 0 });
  const setActive = (index: number): void => setState({ text, active: index });
  const [filter, setFilter] = useState(initialFilter);
  const choices = useMemo(() => findChoices(text, filter), [findChoices, text, filter]);
  const activeIndex = Math.min(active, choices.length - 1);
  const activeChoice = choices[activeIndex];
  const applyFilter = (next: string): void => {
    setFilter(next);
    setState({ text, active: 0 });
    ref.current?.querySelector('input')?.focus();
  };
  useModal(ref);
  useEffect(() => scrollToOption(`${id}-${activeIndex}`), [id, activeIndex]);
  const onKeyDown = (event: KeyboardEvent): void => {
    const step = KEY_STEPS[event.key];
    const chosen = event.key === 'Enter' ? choices[activeIndex] : undefined;
    if (chosen === undefined && step === undefined) return;
    event.preventDefault();
    if (chosen !== undefined) onChoose(chosen.id);
    else setActive((activeIndex + (step ?? 0) + choices.length) % choices.length);
  };
  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: Escape does the same
    <dialog
      ref={ref}
      className={styles.dialog}
      data-light={position !== undefined || filters !== undefined || undefined}
      data-filters={filters !== undefined || undefined}
      data-wide={isWide}
      style={position && toStyle(position)}
      aria-label={title}
      onCancel={event => handleCancel(event, onClose)}
      onClick={event => event.target === ref.current && onClose()}
    >
      <div className={styles.head}>
        <ComboboxField
          id={id}
          label={placeholder}
          value={text}
          active={choices.length > 0 ? `${id}-${activeIndex}` : undefined}
          onChange={typed => {
            setState({ text: typed, active: 0 });
            onText?.(typed);
          }}
          onKeyDown={onKeyDown}
        />
        {toolbar}
      </div>
      {filters && (
        <fieldset className={styles.filters} aria-label={messages.common.filter}>
          {Object.entries(filters).map(([key, label]) => (
            <button key={key} type="button" aria-pressed={key === filter} onClick={() => applyFilter(key)}>
              {label}
            </button>
          ))}
        </fieldset>
      )}
      <Options
        id={id}
        label={title}
        search={`${filter} ${text}`}
        choices={choices}
        active={activeIndex}
        onPoint={setActive}
        onChoose={onChoose}
      />
      {choices.length === 0 && (
        <div className={styles.none}>
          <p>{(text === '' && emptyHints[filter]) || messages.common.nothingFound}</p>
          {text !== '' && filter !== '' && (
            <Button size="s" onClick={() => applyFilter('')}>
              {messages.common.searchAll}
            </Button>
          )}
        </div>
      )}
      {activeChoice !== undefined && renderFooter?.(activeChoice)}
    </dialog>
  );
}

function handleCancel(event: SyntheticEvent, close: () => void): void {
  event.preventDefault();
  close();
}

function scrollToOption(id: string): void {
  // Newer browsers return a promise, which an effect must not return.
  document.getElementById(id)?.scrollIntoView({ block: 'nearest' });
}

interface OptionsProps {
  readonly id: string;
  readonly label: string;
  /** Identifies the text and the filter. */
  readonly search: string;
  readonly choices: readonly Choice[];
  readonly active: number;
  readonly onPoint: (index: number) => void;
  readonly onChoose: (id: string) => void;
}

function Options({ id, label, search, choices, active, onPoint, onChoose }: OptionsProps) {
  const [limit, setLimit] = useState(FIRST_CHOICES);
  const list = useRef<HTMLDivElement>(null);
  // biome-ignore lint/correctness/useExhaustiveDependencies: the result of another search starts at the top
  useLayoutEffect(() => {
    setLimit(FIRST_CHOICES);
    list.current?.scrollTo({ top: 0 });
  }, [search]);
  const showMore = ({ currentTarget }: UIEvent): void => {
    const { scrollTop, clientHeight, scrollHeight } = currentTarget;
    if (scrollTop + clientHeight > scrollHeight - MORE_AT_PX && limit < choices.length)
      setLimit(limit + MORE_CHOICES);
  };
  const shown = choices.slice(0, Math.max(limit, active + FIRST_CHOICES));
  return (
    <div ref={list} id={id} role="listbox" aria-label={label} className={styles.list} onScroll={showMore}>
      {shown.map((choice, index) => (
        <Option
          key={choice.id}
          id={`${id}-${index}`}
          choice={choice}
          // Screen readers would count the rendered options.
          position={index + 1}
          count={choices.length}
          hasHeading={choice.section !== undefined && choice.section !== choices[index - 1]?.section}
          isActive={index === active}
          onPoint={() => onPoint(index)}
          onChoose={() => onChoose(choice.id)}
        />
      ))}
    </div>
  );
}

const SIZE = { width: 640, height: 480 };
const MARGIN = 8;

/** Returns the style that places the dialog at the position, but inside the window. */
function toStyle({ x, y }: { readonly x: number; readonly y: number }): CSSProperties {
  const clampPosition = (preferred: number, size: number, space: number): number =>
    Math.max(MARGIN, Math.min(preferred, space - size - MARGIN));
  return {
    margin: 0,
    left: clampPosition(x, SIZE.width, innerWidth),
    top: clampPosition(y, SIZE.height, innerHeight),
  };
}

interface ComboboxFieldProps {
  /** Id of the list. */
  readonly id: string;
  readonly label: string;
  readonly value: string;
  readonly active: string | undefined;
  readonly onChange: (text: string) => void;
  readonly onKeyDown: (event: KeyboardEvent) => void;
}

function ComboboxField({ id, label, value, active, onChange, onKeyDown }: ComboboxFieldProps) {
  return (
    <div className={styles.search}>
      <Search />
      <input
        role="combobox"
        aria-label={label}
        aria-expanded
        aria-controls={id}
        aria-autocomplete="list"
        aria-activedescendant={active}
        placeholder={label}
        value={value}
        spellCheck={false}
        autoComplete="off"
        // biome-ignore lint/a11y/noAutofocus: the user opens this dialog to type
        autoFocus
        onChange={({ target }) => onChange(target.value)}
        onKeyDown={onKeyDown}
      />
    </div>
  );
}

const KEY_STEPS: Readonly<Record<string, number>> = { ArrowDown: 1, ArrowUp: -1, PageDown: 8, PageUp: -8 };

interface OptionProps {
  readonly id: string;
  readonly choice: Choice;
  readonly position: number;
  readonly count: number;
  readonly hasHeading: boolean;
  readonly isActive: boolean;
  readonly onPoint: () => void;
  readonly onChoose: () => void;
}

function Option({ id, choice, position, count, hasHeading, isActive, onPoint, onChoose }: OptionProps) {
  const { label, detail, hint, icon, section, isDimmed } = choice;
  return (
    <>
      {hasHeading && (
        <div className={styles.section} role="presentation">
          {section}
        </div>
      )}
      {/* biome-ignore lint/a11y/useKeyWithClickEvents: the combobox handles the keys */}
      {/* biome-ignore lint/a11y/useFocusableInteractive: the focus stays in the combobox */}
      <div
        id={id}
        role="option"
        aria-selected={isActive}
        aria-posinset={position}
        aria-setsize={count}
        className={classNames(styles.option, isDimmed && styles.dimmed)}
        onPointerMove={onPoint}
        onClick={onChoose}
      >
        {icon}
        <span className={styles.texts}>
          <span className={styles.label}>{label}</span>
          {detail !== undefined && <span className={styles.detail}>{detail}</span>}
        </span>
        {hint !== undefined && <span className={styles.hint}>{hint}</span>}
      </div>
    </>
  );
}
