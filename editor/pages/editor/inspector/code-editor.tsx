// Renders an editor for JSON or a program with CodeMirror. This file is loaded when a code field first opens. The security
// policy forbids <style> elements, so CodeMirror runs in a shadow root, where it uses constructed style sheets.
import {
  autocompletion,
  closeBrackets,
  closeBracketsKeymap,
  completionKeymap,
} from '@codemirror/autocomplete';
import { defaultKeymap, history, historyKeymap } from '@codemirror/commands';
import { javascript, javascriptLanguage } from '@codemirror/lang-javascript';
import { json } from '@codemirror/lang-json';
import {
  bracketMatching,
  defaultHighlightStyle,
  HighlightStyle,
  indentOnInput,
  syntaxHighlighting,
} from '@codemirror/language';
import { Annotation, EditorState, type Extension, type Transaction } from '@codemirror/state';
import { drawSelection, EditorView, keymap, placeholder as showPlaceholder } from '@codemirror/view';
import { useEffect, useRef } from 'react';
import { completeProgram } from './code-completion.ts';
import type { CodeProps } from './code-field.tsx';
import styles from './inspector.module.css';

export function CodeEditor({
  label,
  value,
  placeholder = '',
  language = 'json',
  ports = NO_PORTS,
  isReadOnly = false,
  isInvalid,
  onChange,
}: CodeProps) {
  const host = useRef<HTMLDivElement>(null);
  const view = useRef<EditorView>(undefined);
  const latestOnChange = useRef(onChange);
  latestOnChange.current = onChange;
  const latestPorts = useRef(ports);
  latestPorts.current = ports;
  // biome-ignore lint/correctness/useExhaustiveDependencies: the next effect applies new values
  useEffect(() => {
    const root = host.current?.shadowRoot ?? host.current?.attachShadow({ mode: 'open' });
    if (root === undefined) return;
    const codeView = new EditorView({
      root,
      parent: root,
      state: EditorState.create({
        doc: value,
        extensions: [
          createExtensions(label, placeholder),
          language === 'json'
            ? json()
            : [
                javascript({ typescript: true }),
                javascriptLanguage.data.of({ autocomplete: completeProgram(() => latestPorts.current) }),
              ],
          EditorState.readOnly.of(isReadOnly),
          EditorView.domEventHandlers({ beforeinput: replaceSelection }),
          EditorView.updateListener.of(({ docChanged, state, transactions }) => {
            if (docChanged && !transactions.some(isExternal)) latestOnChange.current(state.doc.toString());
          }),
        ],
      }),
    });
    view.current = codeView;
    return () => codeView.destroy();
  }, [label, placeholder, language, isReadOnly]);
  // Applies changes from undo, other tabs or other users.
  useEffect(() => {
    const text = view.current?.state.doc.toString();
    if (view.current === undefined || text === value) return;
    view.current.dispatch({
      changes: { from: 0, to: text?.length ?? 0, insert: value },
      annotations: External.of(true),
    });
  }, [value]);
  // `data-editing` marks the element as a text field, so that the board ignores its key events.
  return <div ref={host} className={styles.code} data-editing data-invalid={isInvalid || undefined} />;
}

/**
 * Replaces the selection by typed text, as CodeMirror does after the browser has changed the document. Chrome would keep the
 * style of the replaced text in a `style` attribute, which the security policy forbids. Returns whether it replaced it.
 */
function replaceSelection(event: InputEvent, view: EditorView): boolean {
  const { state } = view;
  const { main } = state.selection;
  const { data } = event;
  if (event.inputType !== 'insertText' || data === null || main.empty || view.composing || state.readOnly)
    return false;
  event.preventDefault();
  const insert = (): Transaction =>
    state.update(state.replaceSelection(data), { userEvent: 'input.type', scrollIntoView: true });
  const isHandled = state
    .facet(EditorView.inputHandler)
    .some(handle => handle(view, main.from, main.to, data, insert));
  if (!isHandled) view.dispatch(insert());
  return true;
}

/** Marks changes that come from the board, which must not be reported to the board as edits. */
const External = Annotation.define<boolean>();
const isExternal = (transaction: Transaction): boolean => transaction.annotation(External) === true;

const NO_PORTS = { inputs: [], outputs: [] };

function createExtensions(label: string, placeholder: string): Extension {
  return [
    history(),
    drawSelection(),
    indentOnInput(),
    bracketMatching(),
    closeBrackets(),
    autocompletion(),
    syntaxHighlighting(COLORS),
    THEME,
    EditorView.lineWrapping,
    showPlaceholder(placeholder),
    // Tab moves the focus out of the editor, as in every field.
    keymap.of([...closeBracketsKeymap, ...defaultKeymap, ...historyKeymap, ...completionKeymap]),
    EditorView.contentAttributes.of({ 'aria-label': label }),
  ];
}

/** Maps CodeMirror's default colors to the palette. Other colors become the text color. */
const PALETTE: Readonly<Record<string, string>> = {
  '#708': 'var(--accent)',
  '#219': 'var(--accent)',
  '#164': 'var(--accent)',
  '#a11': 'var(--success)',
  '#e40': 'var(--warning)',
  '#940': 'var(--muted)',
};

const COLORS = HighlightStyle.define(
  defaultHighlightStyle.specs.map(({ color, ...spec }) => ({
    ...spec,
    ...(color === undefined ? {} : { color: PALETTE[String(color)] ?? 'inherit' }),
  })),
);

const THEME = EditorView.theme({
  // The page sets both properties where there is more space.
  '&': { maxHeight: 'var(--code-max, 22rem)', color: 'var(--ink)', fontSize: 'var(--text-s)' },
  '&.cm-focused': { outline: 'none' },
  '.cm-scroller': { fontFamily: 'var(--mono)', lineHeight: '1.5', minHeight: 'var(--code-min, 4rem)' },
  '.cm-content': { caretColor: 'var(--ink)', padding: '0.4375rem 0' },
  '.cm-line': { padding: '0 0.6875rem' },
  '.cm-cursor': { borderLeftColor: 'var(--ink)' },
  '.cm-placeholder': { color: 'var(--muted)' },
  '&.cm-focused > .cm-scroller > .cm-selectionLayer .cm-selectionBackground, .cm-selectionBackground': {
    background: 'color-mix(in srgb, var(--accent) 24%, transparent)',
  },
  '.cm-tooltip': { background: 'var(--float)', border: '1px solid var(--line)', color: 'var(--ink)' },
  '.cm-tooltip-autocomplete > ul > li[aria-selected]': { background: 'var(--tint)', color: 'var(--ink)' },
  '.cm-matchingBracket, &.cm-focused .cm-matchingBracket': { background: 'var(--tint)' },
});
