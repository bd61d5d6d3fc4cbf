// Copies text, also on plain HTTP, and shows a short confirmation.

import Check from 'icon:check';
import Copy from 'icon:copy';
import { useEffect, useState } from 'react';
import { messages } from '../messages.ts';
import { IconButton } from './button.tsx';

const SHOWN_MS = 2000;

export function CopyButton({ text, label }: { readonly text: string; readonly label: string }) {
  const [isCopied, setCopied] = useState(false);
  useEffect(() => {
    if (!isCopied) return;
    const timer = setTimeout(() => setCopied(false), SHOWN_MS);
    return () => clearTimeout(timer);
  }, [isCopied]);
  return (
    <IconButton
      size="s"
      icon={isCopied ? Check : Copy}
      label={isCopied ? messages.common.copied : label}
      onClick={() => void copyText(text).then(setCopied)}
    />
  );
}

/** Copies the text. Resolves to false if the browser does not allow it. */
export async function copyText(text: string): Promise<boolean> {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    // Without https there is no clipboard API, but the legacy command works.
    return copyBySelection(text);
  }
}

function copyBySelection(text: string): boolean {
  const area = document.createElement('textarea');
  area.value = text;
  area.style.position = 'fixed';
  area.style.opacity = '0';
  // Elements outside of an open modal dialog cannot be focused.
  const container = document.activeElement?.closest('dialog') ?? document.body;
  const focused = document.activeElement;
  container.append(area);
  area.select();
  const isCopied = document.execCommand('copy');
  area.remove();
  if (focused instanceof HTMLElement) focused.focus();
  return isCopied;
}
