// Renders a dialog that finds one of many options by typing: a combobox over a list.

import Search from 'icon:search';
import {
  type KeyboardEvent,
  type ReactNode,
  type RefObject,
  type SyntheticEvent,
  useEffect,
  useId,
  useRef,
  useState,
} from 'react';
import { messages } from '../messages.ts';
import styles from './chooser.module.css';

export interface Choice {
  readonly id: string;
  readonly label: string;
  readonly detail?: ReactNode;
  readonly hint?: ReactNode;
  readonly icon?: ReactNode;
  /** Heading above consecutive options of the same group. */
  readonly section?: string;
}

interface ChooserProps {
  readonly title: string;
  readonly placeholder: string;
  /** Placeholder of the field. */
  readonly text?: string;
  /** Returns the options that match the text, best first. */
  readonly find: (text: string) => readonly Choice[];
  readonly onChoose: (id: string) => void;
  readonly onClose: () => void;
}

/** Number of options rendered; typing finds the others. */
const MAX_SHOWN = 200;

export function Chooser({ title, placeholder, text: first = '', find, onChoose, onClose }: ChooserProps) {
  const ref = useRef<HTMLDialogElement>(null);
  const id = useId();
  const [{ text, active }, setState] = useState({ text: first, active: 0 });
  const setActive = (next: number): void => setState({ text, active: next });
  const choices = find(text).slice(0, MAX_SHOWN);
  const place = Math.min(active, choices.length - 1);
  useModal(ref);
  useEffect(() => showOption(`${id}-${place}`), [id, place]);
  const onKeyDown = (event: KeyboardEvent): void => {
    const move = MOVES[event.key];
    const chosen = event.key === 'Enter' ? choices[place] : undefined;
    if (chosen === undefined && move === undefined) return;
    event.preventDefault();
    if (chosen !== undefined) onChoose(chosen.id);
    else setActive((place + (move ?? 0) + choices.length) % choices.length);
  };
  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: Escape does the same
    <dialog
      ref={ref}
      className={styles.dialog}
      aria-label={title}
      onCancel={event => cancel(event, onClose)}
      onClick={event => event.target === ref.current && onClose()}
    >
      <SearchField
        id={id}
        label={placeholder}
        value={text}
        active={choices.length > 0 ? `${id}-${place}` : undefined}
        onChange={typed => setState({ text: typed, active: 0 })}
        onKeyDown={onKeyDown}
      />
      <Options
        id={id}
        label={title}
        choices={choices}
        active={place}
        onPoint={setActive}
        onChoose={onChoose}
      />
    </dialog>
  );
}

function cancel(event: SyntheticEvent, close: () => void): void {
  event.preventDefault();
  close();
}

function showOption(id: string): void {
  // Newer browsers return a promise, which an effect must not return.
  document.getElementById(id)?.scrollIntoView({ block: 'nearest' });
}

interface OptionsProps {
  readonly id: string;
  readonly label: string;
  readonly choices: readonly Choice[];
  readonly active: number;
  readonly onPoint: (index: number) => void;
  readonly onChoose: (id: string) => void;
}

function Options({ id, label, choices, active, onPoint, onChoose }: OptionsProps) {
  return (
    <>
      <div id={id} role="listbox" aria-label={label} className={styles.list}>
        {choices.map((choice, index) => (
          <Option
            key={choice.id}
            id={`${id}-${index}`}
            choice={choice}
            hasHead={choice.section !== undefined && choice.section !== choices[index - 1]?.section}
            isActive={index === active}
            onPoint={() => onPoint(index)}
            onChoose={() => onChoose(choice.id)}
          />
        ))}
      </div>
      {choices.length === 0 && <p className={styles.none}>{messages.common.nothingFound}</p>}
    </>
  );
}

function useModal(ref: RefObject<HTMLDialogElement | null>): void {
  useEffect(() => {
    const dialog = ref.current;
    dialog?.showModal();
    return () => dialog?.close();
  }, [ref]);
}

interface SearchFieldProps {
  /** Id of the list. */
  readonly id: string;
  readonly label: string;
  readonly value: string;
  readonly active: string | undefined;
  readonly onChange: (text: string) => void;
  readonly onKeyDown: (event: KeyboardEvent) => void;
}

function SearchField({ id, label, value, active, onChange, onKeyDown }: SearchFieldProps) {
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
        // biome-ignore lint/a11y/noAutofocus: a dialog for typing begins in its field
        autoFocus
        onChange={({ target }) => onChange(target.value)}
        onKeyDown={onKeyDown}
      />
    </div>
  );
}

const MOVES: Readonly<Record<string, number>> = { ArrowDown: 1, ArrowUp: -1, PageDown: 8, PageUp: -8 };

interface OptionProps {
  readonly id: string;
  readonly choice: Choice;
  readonly hasHead: boolean;
  readonly isActive: boolean;
  readonly onPoint: () => void;
  readonly onChoose: () => void;
}

function Option({ id, choice, hasHead, isActive, onPoint, onChoose }: OptionProps) {
  const { label, detail, hint, icon, section } = choice;
  return (
    <>
      {hasHead && (
        <div className={styles.section} role="presentation">
          {section}
        </div>
      )}
      {/* biome-ignore lint/a11y/useKeyWithClickEvents: the combobox has the keys */}
      {/* biome-ignore lint/a11y/useFocusableInteractive: the focus stays in the combobox */}
      <div
        id={id}
        role="option"
        aria-selected={isActive}
        className={styles.option}
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
