/** The rules of the style sheet; a bundler adds them to the page with `import 'holdpoint/elements.css'`. */
declare const styles: unknown;
export default styles;
