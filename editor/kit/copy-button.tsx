// Renders a button that copies text, even without https, and confirms it for a moment.

import Check from 'icon:check';
import Copy from 'icon:copy';
import { useEffect, useState } from 'react';
import { messages } from '../messages.ts';
import { Button, IconButton } from './button.tsx';

const SHOWN_MS = 2000;

interface CopyButtonProps {
  readonly text: string;
  readonly label: string;
  /** Whether the label is visible. */
  readonly isLabeled?: true;
  readonly size?: 's';
}

export function CopyButton({ text, label, isLabeled, size }: CopyButtonProps) {
  const [isCopied, setCopied] = useState(false);
  useEffect(() => {
    if (!isCopied) return;
    const timer = setTimeout(() => setCopied(false), SHOWN_MS);
    return () => clearTimeout(timer);
  }, [isCopied]);
  const icon = isCopied ? Check : Copy;
  const name = isCopied ? messages.common.copied : label;
  const copy = (): void => void copyText(text).then(setCopied);
  return isLabeled ? (
    <Button icon={icon} size={size} onClick={copy}>
      {name}
    </Button>
  ) : (
    <IconButton size="s" icon={icon} label={name} onClick={copy} />
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
