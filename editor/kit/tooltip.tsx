// Shows tooltips on hover and focus. A single element in the top layer shows all tooltips, so that dialogs do not cover
// them.
import { cloneElement, type ReactElement, useEffect, useRef } from 'react';
import { showTooltips, TOOLTIP_ID } from '../lib/tooltips.ts';
import styles from './tooltip.module.css';

interface TooltipProps {
  readonly text: string;
  /** One focusable element with its own accessible name. */
  readonly children: ReactElement<{ 'data-tooltip'?: string }>;
}

export function Tooltip({ text, children }: TooltipProps) {
  return cloneElement(children, { 'data-tooltip': text });
}

/** Shows the tooltips of the page. Render it once. */
export function Tooltips() {
  const ref = useRef<HTMLDivElement>(null);
  useEffect(() => {
    const element = ref.current;
    // Browsers without popovers show no tooltips; controls still have accessible names.
    if (element === null || !('popover' in element)) return;
    return showTooltips(element);
  }, []);
  return <div ref={ref} id={TOOLTIP_ID} popover="manual" role="tooltip" className={styles.tooltip} />;
}
