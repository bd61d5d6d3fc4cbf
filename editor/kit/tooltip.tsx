// A word on what a control does, on hover and on focus. One element shows them all, in the top layer, so that a dialog does
// not cover it.
import { cloneElement, type ReactElement, useEffect, useRef } from 'react';
import { showTooltips, TIP_ID } from '../lib/tooltips.ts';
import styles from './tooltip.module.css';

interface TooltipProps {
  readonly text: string;
  /** One element that takes focus, and has a name of its own. */
  readonly children: ReactElement<{ 'data-tooltip'?: string }>;
}

export function Tooltip({ text, children }: TooltipProps) {
  return cloneElement(children, { 'data-tooltip': text });
}

/** Shows the tooltips of the page; stands in it once. */
export function Tooltips() {
  const ref = useRef<HTMLDivElement>(null);
  useEffect(() => {
    const tip = ref.current;
    // Older browsers: the controls have their names.
    if (tip === null || !('popover' in tip)) return;
    return showTooltips(tip);
  }, []);
  return <div ref={ref} id={TIP_ID} popover="manual" role="tooltip" className={styles.tooltip} />;
}
