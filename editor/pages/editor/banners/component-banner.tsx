// Renders a banner in a component that is open in place: the version that the caller uses, and a button to update the
// caller.
import { messages } from '../../../component-messages.ts';
import { Banner } from '../../../kit/banner.tsx';
import { Button, ButtonLink } from '../../../kit/button.tsx';
import { toFlowHref } from '../../../lib/trail.ts';
import { goToCaller, useInterface } from '../../../session/component-versions.ts';
import { useBoard, useEditor } from '../../../session/editor-context.tsx';

const bannerMessages = messages.banner;

export function ComponentBanner() {
  const { session, trail, view } = useEditor();
  const step = trail.at(-1);
  const caller = useInterface(step?.workflowId)?.name ?? messages.caller;
  const current = useInterface(step === undefined ? undefined : session.id)?.version;
  const isUnsaved = useBoard(({ save }) => save.kind !== 'saved');
  if (step === undefined || current === undefined) return null;
  const { version } = step;
  if (version === 'latest')
    return (
      <Banner label={bannerMessages.label}>
        <p>{bannerMessages.latest(caller)}</p>
      </Banner>
    );
  if (version >= current) return null;
  const update = async (): Promise<void> => {
    // Ends the series of autosaves, so that the next one does not replace the version that the caller will use.
    await session.saver.flush();
    goToCaller({ trail }, true);
  };
  return (
    <Banner
      label={bannerMessages.label}
      actions={
        <>
          <Button size="s" variant="quiet" onClick={() => view.setState({ panel: { kind: 'callers' } })}>
            {bannerMessages.callers}
          </Button>
          {!step.isCurrent && (
            <ButtonLink
              size="s"
              href={toFlowHref(session.id, [...trail.slice(0, -1), { ...step, isCurrent: true }])}
            >
              {bannerMessages.openCurrent}
            </ButtonLink>
          )}
          <Button
            size="s"
            variant="primary"
            disabled={isUnsaved}
            onClick={() => void update().catch(() => undefined)}
          >
            {bannerMessages.update(caller)}
          </Button>
        </>
      }
    >
      <p>{bannerMessages[step.isCurrent ? 'newer' : 'older'](caller, version, current)}</p>
    </Banner>
  );
}
