// Renders a search field that reports its text after a pause in typing.
import Search from 'icon:search';
import { useEffect, useRef, useState } from 'react';
import styles from './filter-bar.module.css';

const TYPING_MS = 250;

interface SearchFieldProps {
  readonly label: string;
  readonly placeholder: string;
  readonly value: string;
  readonly onChange: (value: string) => void;
}

export function SearchField({ label, placeholder, value, onChange }: SearchFieldProps) {
  const [text, setText] = useState(value);
  const reported = useRef(value);
  useEffect(() => {
    // The user may have typed more since this field reported the value.
    if (value !== reported.current) setText(value);
    reported.current = value;
  }, [value]);
  useEffect(() => {
    if (text === value) return;
    const timer = setTimeout(() => {
      reported.current = text;
      onChange(text);
    }, TYPING_MS);
    return () => clearTimeout(timer);
  });
  return (
    <label className={styles.search}>
      <Search size={16} />
      <input
        type="search"
        aria-label={label}
        placeholder={placeholder}
        value={text}
        onChange={event => setText(event.target.value)}
      />
    </label>
  );
}
