/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
// The fonts of the reader's system: nothing to load.
import Theme from 'vitepress/theme-without-fonts'
import './site.css'

export default Theme
