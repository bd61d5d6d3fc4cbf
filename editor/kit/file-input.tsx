// Opens the file picker for any button.
import { type InputHTMLAttributes, type ReactElement, useRef } from 'react';

interface FileInputProps
  extends Pick<InputHTMLAttributes<HTMLInputElement>, 'accept' | 'capture' | 'multiple'> {
  readonly onFiles: (files: readonly File[]) => void;
  /** Renders the button. */
  readonly children: (openPicker: () => void) => ReactElement;
}

export function FileInput({ onFiles, children, ...input }: FileInputProps) {
  const ref = useRef<HTMLInputElement>(null);
  return (
    <>
      <input
        ref={ref}
        type="file"
        hidden
        {...input}
        onChange={({ target }) => {
          onFiles([...(target.files ?? [])]);
          // Otherwise the browser reports no change when the same file is chosen again.
          target.value = '';
        }}
      />
      {children(() => ref.current?.click())}
    </>
  );
}
