/** The rules of the style sheet; a bundler adds them to the page with `import 'holdpoint/elements.css'`. */
export declare const styles: unknown;
