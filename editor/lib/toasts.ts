// Stores the toasts on screen: short confirmations, with an optional action such as undo.
import { create } from 'zustand';

export interface Toast {
  readonly id: number;
  readonly text: string;
  readonly tone: 'done' | 'failed';
  readonly action?: { readonly label: string; readonly run: () => void } | undefined;
}

export const useToasts = create<{ readonly toasts: readonly Toast[] }>(() => ({ toasts: [] }));

const MAX_SHOWN_TOASTS = 3;
let nextId = 0;

/** Shows a toast for a while, longer if it has an `action`. */
export function showToast(text: string, options: Partial<Pick<Toast, 'tone' | 'action'>> = {}): void {
  const toast: Toast = { tone: 'done', ...options, text, id: nextId++ };
  useToasts.setState(({ toasts }) => ({ toasts: [...toasts, toast].slice(-MAX_SHOWN_TOASTS) }));
}

export function dismissToast(id: number): void {
  useToasts.setState(({ toasts }) => ({ toasts: toasts.filter(toast => toast.id !== id) }));
}
