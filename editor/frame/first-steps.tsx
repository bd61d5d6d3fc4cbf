// Renders the first steps as a card in a corner, or as a row. Each step is a link or a button, and completed steps have
// a check mark.

import ChevronDown from 'icon:chevron-down';
import CircleCheck from 'icon:circle-check';
import CircleIcon from 'icon:circle-dashed';
import Close from 'icon:x';
import type { ReactNode } from 'react';
import { Link } from 'wouter';
import { IconButton } from '../kit/button.tsx';
import { VisuallyHidden } from '../kit/visually-hidden.tsx';
import {
  closeFirstSteps,
  FIRST_STEPS,
  type FirstStep,
  finishFirstStep,
  useFirstSteps,
} from '../lib/first-steps.ts';
import { useProviderKeysHref } from '../lib/session.ts';
import { messages } from '../messages.ts';
import styles from './first-steps.module.css';

const stepMessages = messages.firstSteps;

/** The path of the page to open, or the function to call. */
export type StepAction = string | (() => void);

export interface FirstStepsProps {
  /** Whether the list is open at first. */
  readonly isExpanded?: boolean;
  /** Renders a row that covers nothing, instead of a card in a corner. */
  readonly isRow?: boolean;
  /** Replace the default actions, which open a page. */
  readonly actions?: Partial<Readonly<Record<FirstStep, StepAction>>>;
}

export function FirstSteps({ isExpanded = false, isRow = false, actions = {} }: FirstStepsProps) {
  const { done: doneSteps, isReopened } = useFirstSteps();
  const nextStep = FIRST_STEPS.find(step => !doneSteps.includes(step));
  const providerKeysHref = useProviderKeysHref();
  const allActions: Readonly<Record<FirstStep, StepAction>> = {
    run: '/templates',
    words: '/templates',
    provider: providerKeysHref ?? (() => finishFirstStep('provider')),
    code: '/docs',
    ...actions,
  };
  return (
    <aside className={isRow ? styles.row : styles.card} aria-label={stepMessages.title}>
      <details open={isExpanded || isReopened}>
        <summary>
          <h2>{stepMessages.title}</h2>
          <span>{stepMessages.progress(doneSteps.length, FIRST_STEPS.length)}</span>
          <ChevronDown />
        </summary>
        <ol>
          {FIRST_STEPS.map(step => {
            const isDone = doneSteps.includes(step);
            const { label, hint } =
              stepMessages.steps[step === 'provider' && providerKeysHref === undefined ? 'ask' : step];
            return (
              <li key={step} data-done={isDone || undefined}>
                {isDone ? <CircleCheck /> : <CircleIcon />}
                <StepLink action={allActions[step]}>
                  <strong>{label}</strong>
                  {isDone && <VisuallyHidden> ({stepMessages.done})</VisuallyHidden>}
                  {step === nextStep && <span>{hint}</span>}
                </StepLink>
              </li>
            );
          })}
        </ol>
      </details>
      <IconButton size="s" icon={Close} label={stepMessages.close} onClick={closeFirstSteps} />
    </aside>
  );
}

function StepLink({ action, children }: { readonly action: StepAction; readonly children: ReactNode }) {
  if (typeof action === 'function')
    return (
      <button type="button" onClick={action}>
        {children}
      </button>
    );
  // The API reference is not a page of the application.
  return action === '/docs' ? (
    <a href={action} onClick={() => finishFirstStep('code')}>
      {children}
    </a>
  ) : (
    <Link href={action}>{children}</Link>
  );
}
