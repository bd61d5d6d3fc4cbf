// Renders the schedules and triggers of all workflows that the user may edit.
import CalendarClock from 'icon:calendar-clock';
import { ButtonLink } from '../../kit/button.tsx';
import { EmptyState } from '../../kit/empty-state.tsx';
import { PageHead } from '../../kit/page-head.tsx';
import { AutomationList } from './automation-list.tsx';
import { messages } from './messages.ts';

export function Page() {
  return (
    <>
      <PageHead title={messages.title} />
      <AutomationList
        empty={
          <EmptyState
            icon={CalendarClock}
            title={messages.emptyTitle}
            action={<ButtonLink href="/workflows">{messages.toWorkflows}</ButtonLink>}
          >
            {messages.empty}
          </EmptyState>
        }
      />
    </>
  );
}
