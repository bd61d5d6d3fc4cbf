// Receives events from the service.

const RECONNECT_MS = 3000;

interface StreamListeners {
  /** Listeners by event type. A listener gets the parsed data. */
  readonly events: Readonly<Record<string, (data: unknown) => void>>;
  readonly onOpen?: () => void;
  /** Called when the connection was lost, or when the service refused it, such as after the session has expired. */
  readonly onError?: (isRefused: boolean) => void;
}

/**
 * Opens an event stream. Returns a function that closes it. After a lost connection, the browser reconnects and sends the
 * id of the last event. After an error response, this function reconnects, because the browser does not.
 */
export function openEventStream(path: string, { events, onOpen, onError }: StreamListeners): () => void {
  let source: EventSource;
  let timer: ReturnType<typeof setTimeout> | undefined;
  const connect = (): void => {
    source = new EventSource(`/api/v1${path}`);
    for (const [type, listener] of Object.entries(events))
      source.addEventListener(type, ({ data }: MessageEvent<string>) => listener(JSON.parse(data)));
    source.addEventListener('open', () => onOpen?.());
    source.addEventListener('error', () => {
      const isRefused = source.readyState === EventSource.CLOSED;
      onError?.(isRefused);
      if (isRefused) timer = setTimeout(connect, RECONNECT_MS);
    });
  };
  connect();
  return () => {
    clearTimeout(timer);
    source.close();
  };
}
