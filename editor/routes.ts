// Lists all pages by path. Each `pages/<name>/page.tsx` exports a component `Page`, which loads on demand.

import AppWindow from 'icon:app-window';
import CalendarClock from 'icon:calendar-clock';
import History from 'icon:history';
import Images from 'icon:images';
import LayoutTemplate from 'icon:layout-template';
import Settings from 'icon:settings';
import Workflow from 'icon:workflow';
import type { ComponentType } from 'react';
import type { Icon } from './kit/icon.ts';
import { messages } from './messages.ts';

export interface Route {
  /** Wouter pattern: parameters start with a colon. */
  readonly path: string;
  readonly load: () => Promise<{ readonly Page: ComponentType }>;
  /** `visitors` pages need no session and show no navigation. */
  readonly for: 'users' | 'visitors';
  /** Entry in the navigation, if the page has one. */
  readonly nav?: {
    readonly label: string;
    readonly icon: Icon;
    /** Another path whose pages also belong to the entry. */
    readonly relatedPath?: string;
  };
  /** Whether the page fills the window, without header, margins and scrolling. Such a page renders the `AppMenu`. */
  readonly isFullWindow?: true;
}

export const ROUTES: readonly Route[] = [
  {
    path: '/workflows',
    load: () => import('./pages/workflows/page.tsx'),
    for: 'users',
    nav: { label: messages.nav.workflows, icon: Workflow },
  },
  {
    path: '/templates',
    load: () => import('./pages/templates/page.tsx'),
    for: 'users',
    nav: { label: messages.nav.templates, icon: LayoutTemplate },
  },
  {
    path: '/executions',
    load: () => import('./pages/runs/page.tsx'),
    for: 'users',
    nav: { label: messages.nav.executions, icon: History, relatedPath: '/batches' },
  },
  {
    path: '/executions/:id',
    load: () => import('./pages/run/page.tsx'),
    for: 'users',
  },
  { path: '/batches', load: () => import('./pages/batches/page.tsx'), for: 'users' },
  { path: '/batches/:id', load: () => import('./pages/batch/page.tsx'), for: 'users' },
  {
    path: '/automations',
    load: () => import('./pages/automations/page.tsx'),
    for: 'users',
    nav: { label: messages.nav.automations, icon: CalendarClock },
  },
  {
    path: '/apps',
    load: () => import('./pages/apps/page.tsx'),
    for: 'users',
    nav: { label: messages.nav.apps, icon: AppWindow },
  },
  {
    path: '/media',
    load: () => import('./pages/media/page.tsx'),
    for: 'users',
    nav: { label: messages.nav.media, icon: Images },
  },
  {
    path: '/flow/:id',
    load: () => import('./pages/editor/page.tsx'),
    for: 'users',
    isFullWindow: true,
  },
  {
    path: '/settings',
    load: () => import('./pages/settings/page.tsx'),
    for: 'users',
    nav: { label: messages.nav.settings, icon: Settings },
  },
  {
    path: '/settings/:part',
    load: () => import('./pages/settings/page.tsx'),
    for: 'users',
  },
  { path: '/approvals/:id?', load: () => import('./pages/approvals/page.tsx'), for: 'users' },
  { path: '/approve', load: () => import('./pages/approve/page.tsx'), for: 'visitors' },
  { path: '/setup', load: () => import('./pages/setup/page.tsx'), for: 'visitors' },
  { path: '/confirm', load: () => import('./pages/confirm/page.tsx'), for: 'users', isFullWindow: true },
  { path: '/sign-in', load: () => import('./pages/sign-in/page.tsx'), for: 'visitors' },
];
