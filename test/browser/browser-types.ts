/** The part of playwright that the tests use. The packages of this folder may be missing when types are checked. */
export interface Browser {
  newContext(options?: {
    readonly viewport?: { readonly width: number; readonly height: number };
    readonly colorScheme?: 'light' | 'dark';
    readonly reducedMotion?: 'reduce';
    /** A contrast theme of the system. */
    readonly forcedColors?: 'active';
    readonly locale?: string;
    /** True: a screen without a mouse. */
    readonly isMobile?: boolean;
    readonly hasTouch?: boolean;
  }): Promise<BrowserContext>;
  close(): Promise<void>;
}

export interface BrowserContext {
  newPage(): Promise<Page>;
  clearCookies(): Promise<void>;
  close(): Promise<void>;
}

export interface Finder {
  locator(selector: string): Locator;
  getByRole(role: string, options?: { readonly name?: string | RegExp; readonly exact?: boolean }): Locator;
  getByText(text: string | RegExp, options?: { readonly exact?: boolean }): Locator;
  getByLabel(text: string | RegExp, options?: { readonly exact?: boolean }): Locator;
}

export interface Page extends Finder {
  readonly keyboard: { press(key: string): Promise<void>; type(text: string): Promise<void> };
  context(): BrowserContext;
  addInitScript(script: { readonly content: string }): Promise<unknown>;
  goto(url: string): Promise<unknown>;
  reload(): Promise<unknown>;
  url(): string;
  title(): Promise<string>;
  content(): Promise<string>;
  waitForURL(url: RegExp): Promise<void>;
  /** Waits for a request whose response has arrived whole. */
  waitForEvent(
    event: 'requestfinished' | 'requestfailed',
    options: { readonly predicate: (request: { url(): string }) => boolean },
  ): Promise<unknown>;
  evaluate<T>(script: string): Promise<T>;
  screenshot(options?: { readonly path?: string }): Promise<Buffer>;
  on(event: 'pageerror', listener: (error: Error) => void): unknown;
  on(event: 'response', listener: (response: { request(): unknown }) => void): unknown;
  on(event: 'console', listener: (message: { type(): string; text(): string }) => void): unknown;
}

export interface Locator extends Finder {
  first(): Locator;
  last(): Locator;
  nth(index: number): Locator;
  filter(options: { readonly hasText: string | RegExp }): Locator;
  click(): Promise<void>;
  dblclick(): Promise<void>;
  fill(text: string): Promise<void>;
  check(): Promise<void>;
  focus(): Promise<void>;
  press(key: string): Promise<void>;
  selectOption(value: string): Promise<unknown>;
  setInputFiles(file: {
    readonly name: string;
    readonly mimeType: string;
    readonly buffer: Buffer;
  }): Promise<void>;
  count(): Promise<number>;
  textContent(): Promise<string | null>;
  inputValue(): Promise<string>;
  isVisible(): Promise<boolean>;
  waitFor(options?: { readonly state?: 'visible' | 'hidden' | 'detached' }): Promise<void>;
}
